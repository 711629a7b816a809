"""Megatron-core itself beside `npunet megatron`, which knows its calls. Needs a checkout of 0.5.0:
NPUNET_MEGATRON_CORE=FOLDER."""

import json
import os
import sys
import tempfile
import unittest

import harness
from test_program import npunet

CHECKOUT = os.environ.get("NPUNET_MEGATRON_CORE", "")
LAYERS, HIDDEN, VOCABULARY, SEQ, BATCH, MICRO = 4, 256, 1024, 128, 2, 4
MODEL = f"""name: tiny
hidden: {HIDDEN}
layers: {LAYERS}
heads: 8
ffn: {4 * HIDDEN}
vocab: {VOCABULARY}
seq: {SEQ}
gated: false
norm: layer
bias: true
positions: learned
tied_embeddings: false
"""


@unittest.skipUnless(CHECKOUT, "NPUNET_MEGATRON_CORE names no checkout of Megatron-LM")
class MegatronCore(unittest.TestCase):
    # What an optimizer sums (the gradients' norm), and what a data loader broadcasts, is not in the
    # program: the other kinds of calls are compared.
    def check(self, tp, pp, dp, *more):
        ranks = tp * pp * dp
        plan = ["--tp", str(tp), "--pp", str(pp), *more]
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "tiny.yml")
            with open(model, "w", encoding="utf-8") as file:
                file.write(MODEL)
            result = npunet("record", "--ranks", str(ranks), "--distinct", "--json",
                            "--output-dir", os.path.join(folder, "recorded"), "--",
                            sys.executable, harness.program_path("megatron_core.py"),
                            "--megatron", CHECKOUT, *plan)
            self.assertEqual(result.returncode, 0, result.stderr)
            recorded = json.loads(result.stdout)
            result = npunet("megatron", "convert", "--model-size", model, "--dp", str(dp), *plan,
                            "--dtype", "fp32", "--global-batch-size", str(BATCH * MICRO * dp),
                            "--micro-batches", str(MICRO), "--no-set-up", "--no-barriers",
                            "--json", "--output-dir", os.path.join(folder, "known"))
            self.assertEqual(result.returncode, 0, result.stderr)
            known = json.loads(result.stdout)["traffic"]
        found = recorded["traffic"]
        kinds = {"all_gather": "all_gather_into_tensor", "reduce_scatter": "reduce_scatter_tensor",
                 "send": "batch_isend", "receive": "batch_irecv"}
        for kind, name in kinds.items():
            self.assertEqual(found.get(kind), known.get(name), kind)
        weights = LAYERS * 12 * HIDDEN ** 2 + VOCABULARY * HIDDEN
        tokens = BATCH * SEQ * MICRO * dp
        self.assertEqual(recorded["product_flops"],
                         3 * tokens * (2 * weights + LAYERS * 4 * SEQ * HIDDEN))

    def test_tensor_sequence_pipeline(self):
        self.check(4, 2, 8, "--sequence-parallel")

    def test_pipeline(self):
        self.check(1, 4, 2)

    def test_tensor(self):
        self.check(2, 1, 4)


if __name__ == "__main__":
    unittest.main()

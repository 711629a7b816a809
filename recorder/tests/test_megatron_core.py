"""Megatron-core itself beside `npunet megatron`, which knows its calls. Needs a checkout of 0.5.0
with PyTorch 1.13, of 0.12.0 with PyTorch 2.6: NPUNET_MEGATRON_CORE=FOLDER."""

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
    # What training.py does around a step is not in the program: each rank sums the squared norm of
    # gradients and takes the worst success and the largest learning rate, all-reduces of 4 bytes
    # over tp-pp; the last stage's ranks average the loss, 8 bytes over dp; the data loader
    # broadcasts. The cross-entropy sums over groups of one rank, too (3 times [seq, batch] a
    # micro-batch), whose calls `npunet megatron` leaves out. All other calls and bytes are equal.
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
        of_all, of_loss = (ranks if tp * pp > 1 else 0), (ranks // pp if dp > 1 else 0)
        alone = 3 * MICRO * ranks // pp if tp == 1 else 0
        self.assertEqual(
            {"nodes": found["all_reduce"]["nodes"] + 3 * of_all + of_loss - alone,
             "bytes": found["all_reduce"]["bytes"] + 3 * 4 * of_all + 8 * of_loss
                      - alone * SEQ * BATCH * 4},
            known["all_reduce"])
        self.assertNotIn("broadcast", found)
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

    def calls_of(self, log):
        """Calls by type, and the sum of their bytes."""
        found = {}
        for one in log:
            if "call" in one:
                count, size = found.get(one["type"], (0, 0))
                found[one["type"]] = (count + 1, size + one["bytes"])
        return found

    # Whole steps: tokens go to the ranks of their experts and back by all-to-all in each layer,
    # forward and backward, each to 2 of 8 experts; those of other tensor ranks are gathered.
    def test_experts(self):
        tp, ep, steps, experts = 2, 4, 2, 8
        recorded = harness.record(
            ["megatron_core.py", "--megatron", CHECKOUT, "--tp", str(tp), "--ep", str(ep),
             "--experts", str(experts), "--dispatcher", "alltoall", "--sequence-parallel",
             "--bf16", "--optimizer", "distributed", "--steps", str(steps)], 8, [0, 5],
            balanced=True)
        self.assertEqual(recorded.returned, 0, recorded.failure)
        tokens = 2 * BATCH * SEQ // tp
        for log in recorded.logs.values():
            calls = self.calls_of(log)
            exchanges = steps * MICRO * LAYERS * 4
            self.assertEqual(calls["all_to_all"], (exchanges, exchanges * tokens * HIDDEN * 2))
            self.assertEqual({tuple(one["sizes"]) for one in log
                              if one.get("type") == "all_to_all"},
                             {(tokens * HIDDEN * 2 // ep,) * ep})

    # The distributed optimizer gathers parameters and scatters gradients, here beside the backward
    # pass; and in 2 stages of 2 chunks with recomputation.
    def test_optimizers(self):
        for more in (["--optimizer", "distributed", "--overlap"],
                     ["--optimizer", "adam", "--vpp", "2", "--recompute"]):
            with tempfile.TemporaryDirectory() as folder:
                result = npunet("record", "--ranks", "8", "--distinct", "--output-dir",
                                os.path.join(folder, "recorded"), "--", sys.executable,
                                harness.program_path("megatron_core.py"), "--megatron", CHECKOUT,
                                "--tp", "2", "--pp", "2", "--sequence-parallel", "--bf16",
                                "--steps", "2", *more)
                self.assertEqual(result.returncode, 0, result.stderr)


if not os.path.isdir(os.path.join(CHECKOUT, "megatron", "core", "optimizer")):  # it came with 0.6
    del MegatronCore.test_experts, MegatronCore.test_optimizers


if __name__ == "__main__":
    unittest.main()

"""Ranks that do the same work: what is derived is what would have been recorded."""

import json
import os
import sys
import tempfile
import unittest

import harness
from test_program import npunet


def files_of(folder):
    result = {}
    for name in os.listdir(folder):
        if name.endswith(".et") or name == "comm_group.json":
            with open(os.path.join(folder, name), "rb") as file:
                result[name] = file.read()
    return result


class Distinct(unittest.TestCase):
    def record(self, folder, command, ranks, *more):
        result = npunet("record", "--ranks", str(ranks), *more, "--output-dir", folder, "--",
                        sys.executable, harness.program_path(command[0]), *command[1:])
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(folder, "recording", "recording.json"), encoding="utf-8") as file:
            return json.load(file)

    def check(self, command, ranks, *runs):
        """runs: (how many ranks are recorded, options)."""
        with tempfile.TemporaryDirectory() as folder:
            every = os.path.join(folder, "every")
            self.record(every, command, ranks)
            expected = files_of(every)
            for recorded, *options in runs:
                distinct = os.path.join(folder, "distinct")
                told = self.record(distinct, command, ranks, "--distinct", *options)
                self.assertEqual(len(told["recorded"]), recorded)
                found = files_of(distinct)
                self.assertEqual(sorted(expected), sorted(found))
                for name, content in expected.items():
                    self.assertEqual(content == found[name], True, name)

    def test_megatron_style(self):
        # 2 x 2 x 8: tensor 2, data 4 of 8, pipeline 2, the combination of what differs, the last.
        # Told by sizes: one of each stage, the last along tensor and data, the last of all.
        self.check(["megatron_style.py", "--layers", "2", "--micro-batches", "2"], 32, (7,),
                   (5, "--tp", "2", "--pp", "2"))

    # With one stage the first rank stands for all; the last checks that.
    def test_data_parallel(self):
        self.check(["ddp_gpt.py", "--steps", "1"], 12, (4,), (2, "--dp", "12"))

    def wrong(self, text, ranks, *options):
        """The message where the program, behind init_process_group(), is no such plan."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "train.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("import torch\nimport torch.distributed as dist\n"
                           "dist.init_process_group('gloo')\nrank = dist.get_rank()\n" + text)
            out = os.path.join(folder, "out")
            result = npunet("record", "--ranks", str(ranks), "--distinct", *options,
                            "--output-dir", out, "--", sys.executable, path)
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertFalse(os.path.exists(out))
            return result.stderr

    # Ranks of two kinds that are told to be of one: the call and its line, or the operation behind
    # the last call.
    def test_a_wrong_plan_is_noticed(self):
        message = self.wrong("dist.barrier()\ndist.all_reduce(torch.ones(3 + (rank > 3)))\n", 8,
                             "--tp", "2")
        self.assertIn("train.py:6: rank 6: found call 1, all_reduce of 16 bytes in group 0, where "
                      "rank 0 has call 1, all_reduce of 12 bytes in group 0", message)
        message = self.wrong("dist.barrier()\nx = torch.randn(4, 4)\n"
                             "y = x @ x if rank % 2 == 0 else x + x\n", 8, "--tp", "2")
        self.assertIn("rank 1: found the operation add, forward, after call 0 at", message)
        self.assertIn("where rank 0 has the operation mm", message)

    def test_sizes_that_do_not_fit(self):
        for options, expected in ((["--tp", "3"], "expected tp 3 x cp 1 x dp N x pp 1"),
                                  (["--tp", "2", "--dp", "2"], "tp 2 x cp 1 x dp 2 x pp 1"),
                                  (["--pp", "16"], "pp 16"), (["--rank-order", "tp"], "tp")):
            self.assertIn(expected, self.wrong("", 8, *options))

    # Every rank of a ring sends to another place of the world.
    def test_ring(self):
        self.check(["ring.py"], 8, (8,))


if __name__ == "__main__":
    unittest.main()

"""What goes wrong is said in one message, with rank and line."""

import os
import tempfile
import unittest

import harness

BEGIN = "import torch\nimport torch.distributed as dist\ndist.init_process_group('gloo')\n"


class Errors(unittest.TestCase):
    def failure_of(self, text, ranks=4, recorded=None, **more):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "train.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(BEGIN + text)
            result = harness.record([path], ranks, recorded, **more)
        self.assertEqual(result.returned, 1)
        self.assertEqual(result.failure["at"].rpartition("/")[2].rpartition(":")[0], "train.py")
        return result.failure

    def check(self, failure, kind, rank, line, text):
        self.assertEqual((failure["kind"], failure["rank"]), (kind, rank), failure)
        self.assertEqual(failure["at"].rpartition(":")[2], str(line))
        self.assertIn(text, failure["message"])

    def test_exception(self):
        failure = self.failure_of("if dist.get_rank() == 2:\n    raise ValueError('no data')\n")
        self.check(failure, "crash", 2, 5, "ValueError: no data")

    def test_receive_from_itself(self):
        failure = self.failure_of("dist.recv(torch.empty(3), dist.get_rank())\n")
        self.check(failure, "hang", 0, 4, "receives from itself")

    def test_endless_loop(self):
        failure = self.failure_of("while True:\n    torch.zeros(2)\n", recorded=[1], timeout=3)
        self.assertEqual((failure["kind"], failure["rank"]), ("hang", 1), failure)
        self.assertIn("no end after 3 s", failure["message"])

    # Each waits for the shape that the other one tells.
    def test_ranks_that_wait_for_each_other(self):
        failure = self.failure_of("shape = torch.zeros(2, dtype=torch.int64)\n"
                                  "dist.recv(shape, dist.get_rank() ^ 1)\n"
                                  "dist.send(shape, dist.get_rank() ^ 1)\n")
        self.check(failure, "hang", 0, 5, "waits for a message of rank 1")

    def test_unfinished_collective(self):
        failure = self.failure_of("x = torch.randn(9)\nwork = dist.all_reduce(x, async_op=True)\n")
        self.check(failure, "unfinished", 0, 5, "never waited for")

    def test_receive_from_any_rank(self):
        failure = self.failure_of("dist.recv(torch.empty(3))\n")
        self.check(failure, "unsupported", 0, 4, "a receive from any rank")

    def test_shape_by_value(self):
        failure = self.failure_of("x = torch.randn(9)\ny = x[x > 0]\n")
        self.check(failure, "unsupported", 0, 5, "shape depends on values")

    def test_spawned_processes(self):
        failure = self.failure_of("torch.multiprocessing.spawn(print, nprocs=2)\n")
        self.check(failure, "unsupported", 0, 4, "starts its processes")

    def test_exit_status(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "train.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("import sys\nsys.exit(3)\n")
            result = harness.record([path], 2)
        self.assertIn("exit status 3", result.failure["message"])


if __name__ == "__main__":
    unittest.main()

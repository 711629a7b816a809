"""A program's own timers show the times of a simulation of its recording."""

import json
import os
import sys
import tempfile
import unittest

from test_program import npunet

BEGIN = """import time
import torch
import torch.distributed as dist
dist.init_process_group('{}')
"""
NETWORK = "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n"
SYSTEM = {"roofline-enabled": 1, "peak-perf": 1, "local-mem-bw": 1000}
# Of a product of two matrices of 1024 x 1024 at 1 TFLOP/s: 2 x 1024^3 / 10^12 s.
PRODUCT_S = 2 * 1024 ** 3 / 1e12


class SimulatedTime(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = self.path("out")
        self.write("net.yml", NETWORK)
        self.write("system.json", json.dumps(SYSTEM))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def record(self, text, backend="nccl", *more):
        self.write("train.py", BEGIN.format(backend) + text)
        return npunet("record", "--ranks", "2", "--answer-with-simulated-time", "--network",
                      self.path("net.yml"), "--system", self.path("system.json"), *more,
                      "--output-dir", self.out, "--", sys.executable, self.path("train.py"))

    def printed(self, rank):
        with open(os.path.join(self.out, "recording", f"rank.{rank}.output.txt"),
                  encoding="utf-8") as file:
            return [float(word) for word in file.read().split()]

    def finish_s(self):
        result = npunet("simulate", "--workload", os.path.join(self.out, "workload"),
                        "--comm-group", os.path.join(self.out, "comm_group.json"), "--network",
                        self.path("net.yml"), "--system", self.path("system.json"), "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["finish_ns"] / 1e9

    # On a GPU the host goes on at once, and waits in synchronize(), in .item() and in barriers;
    # events are at the end of what was issued before them on their stream.
    def test_gpu(self):
        result = self.record(
            "x = torch.randn(1024, 1024, device='cuda')\n"
            "start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))\n"
            "torch.cuda.synchronize()\n"
            "begin = time.perf_counter()\n"
            "start.record()\ny = x @ x\ny = y @ x\nend.record()\n"
            "print(time.perf_counter() - begin)\n"
            "torch.cuda.synchronize()\n"
            "print(time.perf_counter() - begin, start.elapsed_time(end) / 1e3)\n"
            "y = y @ x\ny[0, 0].item()\n"
            "print(time.perf_counter() - begin)\n"
            "work = dist.all_reduce(y, async_op=True)\nx = x @ x\nwork.wait()\n"
            "print(time.perf_counter() - begin)\n"
            "torch.cuda.synchronize()\n"
            "print(time.perf_counter())\n"
            "before = time.time()\ntime.sleep(3)\nprint(time.time() - before)\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        for rank in (0, 1):
            launched, two, event, three, issued, whole, slept = self.printed(rank)
            self.assertEqual(launched, 0)
            self.assertAlmostEqual(two, 2 * PRODUCT_S, delta=1e-9)
            self.assertAlmostEqual(event, 2 * PRODUCT_S, delta=1e-9)
            self.assertAlmostEqual(three, 3 * PRODUCT_S, delta=1e-9)
            self.assertEqual(issued, three)
            self.assertAlmostEqual(whole, self.finish_s(), delta=1e-9)
            self.assertAlmostEqual(slept, 3, delta=1e-6)
        self.assertEqual(sorted(os.listdir(self.out)),
                         ["comm_group.json", "recording", "workload.0.et", "workload.1.et"])

    # Without a GPU the host runs the operations itself.
    def test_cpu(self):
        result = self.record(
            "x = torch.randn(1024, 1024)\n"
            "begin = time.monotonic_ns()\ny = x @ x\n"
            "print((time.monotonic_ns() - begin) / 1e9)\n"
            "dist.all_reduce(y)\nprint(time.monotonic_ns() / 1e9)\n", "gloo")
        self.assertEqual(result.returncode, 0, result.stderr)
        product, whole = self.printed(1)
        self.assertAlmostEqual(product, PRODUCT_S, delta=2e-9)
        self.assertAlmostEqual(whole, self.finish_s(), delta=2e-9)

    # What is before the mark takes no time.
    def test_marks(self):
        result = self.record(
            "import npunet_recorder\nx = torch.randn(1024, 1024)\ny = x @ x\n"
            "print(time.perf_counter())\nnpunet_recorder.start()\ny = x @ x\n"
            "print(time.perf_counter())\nnpunet_recorder.stop()\ny = x @ x\n"
            "print(time.perf_counter())\n", "gloo")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = self.printed(0)
        self.assertEqual(found[0], 0)
        self.assertAlmostEqual(found[1], PRODUCT_S, delta=1e-9)
        self.assertEqual(found[2], found[1])

    def test_refusals(self):
        result = self.record("if time.perf_counter() > 0:\n    dist.barrier()\n")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("must not depend on the clock", result.stderr)
        self.assertFalse(os.path.exists(self.out))
        # Nothing runs before options are checked.
        result = self.record("raise RuntimeError('runs')\n", "nccl", "--rank", "1")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("a recording of some ranks", result.stderr)
        self.write("net.yml", NETWORK.replace("[2]", "[4]"))
        result = self.record("raise RuntimeError('runs')\n")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("--npus: found 2 ranks; expected 4, the NPUs of", result.stderr)
        result = npunet("record", "--ranks", "2", "--answer-with-simulated-time", "--output-dir",
                        self.out, "--", sys.executable, self.path("train.py"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("found no --network", result.stderr)
        for option, value in (("--system", self.path("system.json")),
                              ("--network", self.path("net.yml")), ("--machine", "dgx-h100:1")):
            result = npunet("record", "--ranks", "2", option, value, "--output-dir", self.out, "--",
                            sys.executable, self.path("train.py"))
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{option}: found no --answer-with-simulated-time", result.stderr)

    # A ready machine is its network and its system; one of them may be a file.
    def test_machine(self):
        self.write("train.py", BEGIN.format("nccl") +
                   "x = torch.randn(1024, 1024, device='cuda')\ny = x @ x\n"
                   "torch.cuda.synchronize()\nprint(time.perf_counter())\n")
        found = []
        for options in (["--machine", "dgx-a100:1"],
                        ["--network", "dgx-a100:1", "--system", "dgx-a100:1"],
                        ["--machine", "dgx-a100:1", "--system", self.path("system.json")]):
            result = npunet("record", "--ranks", "8", "--distinct", "--answer-with-simulated-time",
                            *options, "--output-dir", self.out, "--", sys.executable,
                            self.path("train.py"))
            self.assertEqual(result.returncode, 0, result.stderr)
            found.append(self.printed(0)[0])
        self.assertEqual(found[0], found[1])
        self.assertGreater(found[0], 0)
        self.assertLess(found[0], PRODUCT_S / 10)
        self.assertGreaterEqual(found[2], PRODUCT_S)
        for options, expected in ((["--machine", "dgx-a100"], "without a count"),
                                  (["--machine", "dgx-a100:2"], "expected 16, the NPUs of"),
                                  (["--machine", "dgx-a100:1", "--network", self.path("net.yml"),
                                    "--system", self.path("system.json")],
                                   "beside --network and --system")):
            result = npunet("record", "--ranks", "8", "--answer-with-simulated-time", *options,
                            "--output-dir", self.out, "--", sys.executable, self.path("train.py"))
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertIn(expected, result.stderr)


if __name__ == "__main__":
    unittest.main()

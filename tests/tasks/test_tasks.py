"""The scripts of examples/tasks print the answers beside them, and these are what hand formulas say.

    python3 -m unittest test_tasks            # compares
    python3 test_tasks.py record [TASK...]    # writes the answers again, and in docs/tasks.md

An answer is the summary that each command prints first; most of the tables below it are left out. In
scripts/test-long, which sets NPUNET_TEST_CASES, BATCH makes two of them larger: the formulas remain.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "examples/tasks"
PAGE = ROOT / "docs/tasks.md"
LONG = "NPUNET_TEST_CASES" in os.environ
LONG_BATCH = {"rails": "128", "oversubscribed": "32"}
ANSWER = re.compile(r"(analytical|fluid|packet): |step: |time: |exposed: |held up by: |peak memory: "
                    r"|WARNING: |bottleneck: |bounds: |links by class .*CNPs|(NIC|leaf-spine|npu-leaf)  | +dp  tp|best|why |  dp=|\d+ (traces|points)")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def run(task, folder):
    """What the script prints, run from a folder like the root of the repository."""
    for name in ("configs", "examples"):
        os.symlink(ROOT / name, Path(folder) / name)
    program = Path(os.environ.get("NPUNET", ROOT / "build/release/npunet"))
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    if LONG and task in LONG_BATCH:
        environment["BATCH"] = LONG_BATCH[task]
    ended = subprocess.run(["sh", f"examples/tasks/{task}.sh"], cwd=folder, env=environment,
                           capture_output=True, text=True)
    if ended.returncode != 0:
        raise AssertionError(f"{task}.sh ended with {ended.returncode}:\n{ended.stderr}")
    return ended.stdout


def answer_of(printed):
    """The lines of the answer, with an empty one between runs."""
    lines = "".join(line + "\n" for line in printed.splitlines() if ANSWER.match(line))
    return re.sub(r"\n(\w+: finished after)", r"\n\n\1", lines)


def expected_file(task):
    return TASKS / f"{task}.expected.txt"


def seconds(text):
    """Of "1.128 s"."""
    number, unit = text.split()
    return float(number) * UNITS[unit]


def finishes(answer):
    """Of every run, in seconds, exactly."""
    return [float(ns) * 1e-9 for ns in re.findall(r"finished after .* \(([\d.]+) ns\)", answer)]


def exposed(answer, dimension):
    """Of every run, in seconds."""
    return [seconds(time) for time in
            re.findall(rf"^exposed: .*?\b{dimension} ([\d.]+ \w+)", answer, re.M)]


def held_up(answer, cause):
    """Of every run, in seconds."""
    return [seconds(time) for time in
            re.findall(rf"^held up by: .*?\b{cause} ([\d.]+ \w+)", answer, re.M)]


def rates(answer):
    """Tokens per second and MFU in percent of every run."""
    return [(float(tokens), float(mfu)) for tokens, mfu in
            re.findall(r"^step: (\d+) tokens/s, .* MFU ([\d.]+)%", answer, re.M)]


class Tasks(unittest.TestCase):
    def answer(self, task):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        answer = answer_of(run(task, self.folder))
        if not (LONG and task in LONG_BATCH):
            self.assertEqual(answer, expected_file(task).read_text())
        return answer

    def test_rails(self):
        """Tokens of the batch = rate x time. Nothing shares a link there, so that packets add only
        their headers, 64 bytes to 4096, to the exposed communication: under 1.6 %."""
        answer = self.answer("rails")
        times, speeds = finishes(answer), rates(answer)
        self.assertEqual(len(times), 4)
        batches = [128] + 3 * [128 if LONG else 32]
        for time, (tokens, _), batch in zip(times, speeds, batches):
            self.assertAlmostEqual(tokens * time / (batch * 8192), 1, places=4)
        self.assertTrue(35 < speeds[0][1] < 50)
        estimate, fluid, packet = times[1:]
        self.assertLess(abs(packet / fluid - 1), 1e-4)
        self.assertLess(abs(packet / estimate - 1), 0.016)

    def test_oversubscribed(self):
        """With the replicas of a stage below one leaf little crosses the up-links. Spread over four
        leaves, a ring of 8 crosses each leaf's 2 up-links at each of the 4 stages: 4 flows of 50 GB/s
        over 100 GB/s, so the exchange of gradients and weights takes at least twice as long."""
        answer = self.answer("oversubscribed")
        rails, near, spread = finishes(answer)
        self.assertLess(rails, near)
        self.assertLess(near, 1.03 * rails)
        self.assertGreater(spread, (1.05 if LONG else 1.2) * rails)
        # What the spread run takes longer is due to the exchange, also where the last rank waits in
        # its tensor-parallel group.
        extra = held_up(answer, "DP")[2] - held_up(answer, "DP")[0]
        self.assertLess(abs(extra / (spread - rails) - 1), 0.15)

    def test_oversubscribed_packets(self):
        """Layer l of stage l: 4 bytes of gradient a weight are scattered, 2 of weight gathered, 7/8 of
        each, at 50 GB/s; the first stage, which ends last, has the embedding, too. Spread over the
        leaves, no run ends before its busiest up-link could carry its bytes."""
        answer = self.answer("oversubscribed_packets")
        near, fluid, packet = finishes(answer)
        h, f, vocabulary = 4096, 11008, 32000
        exchange = (4 * h * h + 3 * h * f + h * vocabulary) * (4 + 2) * 7 / 8 / 50e9
        self.assertGreater(exposed(answer, "DP")[0], exchange)
        self.assertLess(exposed(answer, "DP")[0], 1.1 * exchange)
        self.assertGreater(fluid, 2 * near)
        self.assertGreater(packet, fluid)
        for bound in re.findall(r"x the busiest link \(([\d.]+ ms)", answer):
            self.assertLess(seconds(bound), packet)
        # Marks and their notifications are in the rows of links, the last two columns.
        rows = re.findall(r"^leaf-spine .* (\d+) +(\d+)$", answer, re.M)
        self.assertEqual(len(rows), 2)
        self.assertGreater(int(rows[1][0]), int(rows[0][0]))

    def test_experts(self):
        """Per micro-batch and layer four exchanges of 2 x 4096 tokens x 6 experts x 2048 x 2 bytes,
        4 micro-batches, 26 layers with experts: over 64 ranks 7/8 of it leaves the server at 50 GB/s. A
        routing without preference takes as long as none."""
        answer = self.answer("experts")
        bound = 4 * 26 * 4 * (2 * 4096 * 6 * 2048 * 2) * 7 / 8 / 50e9
        near, spread, even, popular = exposed(answer, "EP")
        self.assertGreater(spread, bound)
        self.assertLess(spread, 1.2 * bound)
        # Within a server NCCL's sends go at 319.4 of 450 GB/s, 420 times, with what starts cost and
        # small gathers of the routing; without preference all are equal.
        self.assertGreater(near, bound / 9 * 450 / 319.4)
        self.assertLess(near, 1.1 * bound / 9 * 450 / 319.4)
        self.assertEqual(even, near)
        self.assertGreater(popular, even)
        for percent in re.findall(r"^peak memory: .*? \(([\d.]+)%\)", answer, re.M):
            self.assertLess(float(percent), 100)

    def test_plans(self):
        """The best is the fastest row of results.csv that fits; MFU is model FLOPs (Megatron's
        formula: 72 B s l h^2 for h-wide matrices, here by the parameters) over time and peak."""
        answer = self.answer("plans")
        with (self.folder / "out/tasks/plans/results.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(len(rows), 72)
        fitting = [row for row in rows if int(row["max_peak_memory_bytes"]) <= 80e9]
        best = min(fitting, key=lambda row: float(row["max_finish_ns"]))
        plan = " ".join(f"{name}={best[name]}" for name in ("dp", "tp", "pp", "zero", "recompute"))
        self.assertIn(f"\nwhy {plan}: ", answer)
        self.assertIn(f"{len(fitting)} points are known to stay within 74.51 GiB", answer)
        h, f, layers, vocabulary, s, batch = 5120, 13824, 40, 32000, 4096, 128
        weights = layers * (4 * h * h + 3 * h * f) + h * vocabulary
        flops = batch * s * (6 * weights + 12 * layers * s * h)
        for row in rows:
            mfu = flops / 64 / (float(row["max_finish_ns"]) * 1e-9) / 989e12
            self.assertAlmostEqual(float(row["mfu_percent"]) / (100 * mfu), 1, places=6)

    def test_own_traces(self):
        """Two GPUs share a NIC of 25 GB/s: 8 layers x 2 x 96 MiB take 64.4 ms. They begin after the
        forward pass, 8 (2.1 ms + a), and one backward pass, 4.3 ms; a = 2 3/4 64 MiB / 300 GB/s is an
        all-reduce. The optimizer's 1.6 ms follow. Headers and latency add less than 2.5 %."""
        answer = self.answer("own_traces")
        estimate, packet = finishes(answer)
        nics = 8 * 2 * 96 * 2**20 / 25e9
        step = 8 * (2.1e-3 + 1.5 * 64 * 2**20 / 300e9) + 4.3e-3 + nics + 1.6e-3
        self.assertLess(estimate, nics)
        self.assertGreater(packet, step)
        self.assertLess(packet, 1.025 * step)
        self.assertIn("bottleneck: the pcie-leaf links carry data-parallel all_reduce", answer)


class Page(unittest.TestCase):
    """docs/tasks.md shows the commands of every script, and every answer, as they are."""

    def test_page(self):
        page = PAGE.read_text()
        blocks = re.findall(r"^```text\n(.*?)^```$", page, re.M | re.S)
        scripts = sorted(path.stem for path in TASKS.glob("*.sh"))
        self.assertEqual(len(scripts), 6)
        for task in scripts:
            script = (TASKS / f"{task}.sh").read_text()
            commands = script.split("\nset -e\n")[1].lstrip("\n")
            self.assertIn(commands, blocks, task)
            self.assertIn(expected_file(task).read_text(), blocks, task)
            self.assertTrue(hasattr(Tasks, f"test_{task}"))


if __name__ == "__main__":
    if sys.argv[1:2] != ["record"]:
        unittest.main()
    for name in sys.argv[2:] or sorted(path.stem for path in TASKS.glob("*.sh")):
        with tempfile.TemporaryDirectory() as temporary:
            answer = answer_of(run(name, temporary))
        if expected_file(name).exists():
            PAGE.write_text(PAGE.read_text().replace(expected_file(name).read_text(), answer))
        expected_file(name).write_text(answer)
        print(expected_file(name))

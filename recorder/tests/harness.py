"""Runs programs for the tests: recorded, and for real on Gloo."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples", "record")
RECORDER = os.path.join(os.path.dirname(HERE), "npunet_recorder")
BACKEND = os.environ.get("NPUNET_RECORDER_BACKEND", "")
SECONDS = 400


def environment(**more):
    result = dict(os.environ, OMP_NUM_THREADS="1", **more)
    result["PYTHONPATH"] = os.pathsep.join([BACKEND, result.get("PYTHONPATH", "")])
    return result


def read_log(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Recorded:
    """What the recorder left: logs by rank, or a failure; the largest process, the time of all."""

    def __init__(self, folder, returned, usage):
        self.returned = returned
        self.peak_bytes = usage.ru_maxrss * 1024
        self.processor_s = usage.ru_utime + usage.ru_stime
        self.logs = {}
        self.outputs = {}
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name.startswith("rank.") and name.endswith(".jsonl"):
                self.logs[int(name.split(".")[1])] = read_log(path)
            elif name.endswith(".output.txt"):
                with open(path, encoding="utf-8") as file:
                    self.outputs[int(name.split(".")[1])] = file.read()
        failure = os.path.join(folder, "failure.json")
        self.failure = None
        if os.path.exists(failure):
            with open(failure, encoding="utf-8") as file:
                self.failure = json.load(file)


def record(command, ranks, recorded=None, **more):
    """command: [program of the tests or path, arguments...]."""
    with tempfile.TemporaryDirectory() as folder:
        job = {"ranks": ranks, "recorded": list(range(ranks)) if recorded is None else recorded,
               "logs": folder, "command": [program_path(command[0]), *command[1:]],
               "processes": 2, "timeout": SECONDS, "backend": BACKEND, **more}
        path = os.path.join(folder, "job.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(job, file)
        process = subprocess.Popen([sys.executable, RECORDER, path], env=environment(), cwd=HERE)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Recorded(folder, process.returncode, usage)


def program_path(name):
    for folder in (PROGRAMS, EXAMPLES):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.relpath(os.path.join(folder, name), HERE)
    return name


def run_really(command, ranks):
    """The logs of a run of as many processes, by rank."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(HERE, "real_run.py"), folder, str(ranks),
                        program_path(command[0]), *command[1:]],
                       env=environment(), cwd=HERE, timeout=SECONDS, check=True)
        return {rank: read_log(os.path.join(folder, f"{rank}.jsonl")) for rank in range(ranks)}


def calls_of(log):
    """Groups, calls and waits: what recordings and real runs have in common."""
    result = []
    for record_of_log in log:
        if "op" in record_of_log or record_of_log.get("implied") or "warning" in record_of_log \
                or "end" in record_of_log:
            continue
        result.append({key: value for key, value in record_of_log.items()
                       if key not in ("after", "stream")})
    return result


class Comparison(unittest.TestCase):
    def check(self, command, ranks):
        """The recording of each rank has the calls of a real run."""
        recorded = record(command, ranks)
        self.assertEqual(recorded.returned, 0, recorded.failure)
        real = run_really(command, ranks)
        for rank in range(ranks):
            expected = calls_of(real[rank])
            found = calls_of(recorded.logs[rank])
            for place, (one, other) in enumerate(zip(expected, found)):
                self.assertEqual(one, other, f"rank {rank}, record {place}")
            self.assertEqual(len(expected), len(found), f"rank {rank}")
            self.assertGreater(len([1 for one in found if "call" in one]), 0)


def torch_version():
    import torch
    return tuple(int(part) for part in torch.__version__.split(".")[:2])


def later_torch():
    """Skips a test case where PyTorch is older than 2.6."""
    return unittest.skipIf(torch_version() < (2, 6), "PyTorch 2.6 is needed")

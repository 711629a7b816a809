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

    def check(self, command, ranks, recorded):
        with tempfile.TemporaryDirectory() as folder:
            every, distinct = os.path.join(folder, "every"), os.path.join(folder, "distinct")
            self.record(every, command, ranks)
            told = self.record(distinct, command, ranks, "--distinct")
            self.assertEqual(len(told["recorded"]), recorded)
            expected, found = files_of(every), files_of(distinct)
            self.assertEqual(sorted(expected), sorted(found))
            for name, content in expected.items():
                self.assertEqual(content == found[name], True, name)

    def test_megatron_style(self):
        # 2 x 2 x 8: tensor 2, data 4 of 8, pipeline 2, the combination of what differs, the last.
        self.check(["megatron_style.py", "--layers", "2", "--micro-batches", "2"], 32, 7)

    def test_data_parallel(self):
        self.check(["ddp_gpt.py", "--steps", "1"], 12, 4)

    # Every rank of a ring sends to another place of the world.
    def test_ring(self):
        self.check(["ring.py"], 8, 8)


if __name__ == "__main__":
    unittest.main()

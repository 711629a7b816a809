"""Keyword arguments become options one to one, without knowing any of them."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from npunet.options import arguments


class Options(unittest.TestCase):
    def test_each_kind_of_value(self):
        for value, expected in (
                (8, ["--dp=8"]),
                (0, ["--dp=0"]),
                (1.25, ["--dp=1.25"]),
                ("5ms", ["--dp=5ms"]),
                ("", ["--dp="]),
                ("-1", ["--dp=-1"]),
                ([7, 8, 8, 7], ["--dp=7,8,8,7"]),
                (("analytical", "fluid"), ["--dp=analytical,fluid"]),
                (range(3), ["--dp=0,1,2"]),
                (Path("out") / "a b", ["--dp=out/a b"]),
                (True, ["--dp"]),
                (False, []),
                (None, [])):
            self.assertEqual(arguments({"dp": value}), expected)

    def test_names_have_hyphens_and_keep_their_order(self):
        self.assertEqual(arguments({"sequence_parallel": True, "num-stacks": 2, "a_b_c": 1}),
                         ["--sequence-parallel", "--num-stacks=2", "--a-b-c=1"])

    def test_a_dictionary_is_a_file(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            network = {"topology": ["Ring"], "npus_count": [8]}
            system = {"device": Path("mine.json"), "peak-perf": 312}
            given = arguments({"network": network, "system": system}, folder)
            self.assertEqual(given, [f"--network={folder / 'inputs/network.yml'}",
                                     f"--system={folder / 'inputs/system.json'}"])
            self.assertEqual(json.loads((folder / "inputs/network.yml").read_text()), network)
            self.assertEqual(json.loads((folder / "inputs/system.json").read_text()),
                             {"device": os.path.abspath("mine.json"), "peak-perf": 312})

    def test_a_list_of_dictionaries_is_a_file(self):
        with tempfile.TemporaryDirectory() as name:
            jobs = [{"name": "a", "ranks": [0, 1]}, {"name": "b", "ranks": [2, 3]}]
            given = arguments({"jobs_file": jobs}, Path(name))
            self.assertEqual(given, [f"--jobs-file={name}/inputs/jobs_file.yml"])
            self.assertEqual(json.loads((Path(name) / "inputs/jobs_file.yml").read_text()), jobs)

    def test_what_no_file_can_hold(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(TypeError, "found .* of type set; expected"):
                arguments({"network": {"topology": {"Ring"}}}, Path(folder))
        with self.assertRaisesRegex(TypeError, "network: found a dictionary"):
            arguments({"network": {}})


if __name__ == "__main__":
    unittest.main()

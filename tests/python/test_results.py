"""Real runs: objects and tables have the numbers that the program wrote, and nothing else.

Every check compares with the files themselves, read by json and csv, or with an identity that
docs/results.md states: of every NPU compute + exposed communication + exposed memory + idle =
finish; the parts of a comparison sum to the difference of the finishes.
"""

import csv
import gc
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import npunet

STEP = {"model": "llama2-4layer", "dp": 2, "tp": 4, "pp": 2, "seq": 256, "batch": 4,
        "network": {"topology": ["Torus2D"], "npus_count": [[4, 4]], "bandwidth": [50],
                    "latency": [500]},
        "system": {"roofline-enabled": 1, "peak-perf": 312, "local-mem-bw": 2039}}


def picoseconds(ns):
    return round(ns * 1000)


class Case(unittest.TestCase):
    def setUp(self):
        """All temporary folders are made in one, to see which are left."""
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        patch = mock.patch.object(tempfile, "tempdir", str(self.temporary))
        patch.start()
        self.addCleanup(patch.stop)

    def left(self):
        gc.collect()
        return list(self.temporary.iterdir())


class Simulate(Case):
    def test_numbers_are_those_of_the_files(self):
        run = npunet.simulate(**STEP, output_dir=self.folder / "run")
        document = json.loads((self.folder / "run/results.json").read_text())
        self.assertEqual(run.to_dict(), document)
        self.assertEqual(run.finish_ns, document["finish_ns"])
        self.assertEqual(run.summary.bottleneck.sentence,
                         document["summary"]["bottleneck"]["sentence"])
        self.assertIn(run.summary.bottleneck.sentence, str(run))
        for name in ("npus", "collectives", "links"):
            table = run.table(name)
            with (self.folder / f"run/{name}.csv").open(newline="") as stream:
                rows = list(csv.DictReader(stream))
            self.assertEqual(table.columns, list(rows[0]))
            self.assertEqual(len(table), len(rows))
            for read, written in zip(table, rows):
                for column, value in read.items():
                    same = value if isinstance(value, str) else type(value)(written[column])
                    self.assertEqual(same, value)
                    self.assertEqual(isinstance(value, str), not self.number(written[column])
                                     or column == "class", column)

    @staticmethod
    def number(text):
        try:
            float(text)
        except ValueError:
            return False
        return True

    def test_identities(self):
        run = npunet.simulate(**STEP)
        self.assertEqual(len(run.npus), 16)
        for npu, row in zip(run.npus, run.table("npus")):
            self.assertEqual(picoseconds(npu.finish_ns), sum(picoseconds(part) for part in (
                npu.compute_ns, npu.exposed_comm_ns, npu.exposed_memory_ns, npu.idle_ns)))
            self.assertEqual(picoseconds(npu.exposed_comm_ns), sum(
                picoseconds(time.exposed_comm_ns) for time in npu.by_dimension.values()))
            self.assertEqual(row["finish_ns"], npu.finish_ns)
        self.assertEqual(run.finish_ns, max(run.table("npus").column("finish_ns")))

    def test_temporary_folders_go_with_the_object(self):
        run = npunet.simulate(**STEP)
        self.assertEqual(self.left(), [run.folder])
        report = run.path("report.html")
        self.assertTrue(report.exists())
        del run
        self.assertEqual(self.left(), [])
        with npunet.simulate(**STEP) as run:
            self.assertEqual(self.left(), [run.folder])
        self.assertEqual(self.left(), [])
        self.assertGreater(run.finish_ns, 0)

    def test_results_stay_in_an_output_folder(self):
        folder = self.folder / "kept"
        run = npunet.simulate(**STEP, output_dir=folder)
        self.assertEqual((run.folder, self.left()), (folder, []))
        run.close()
        again = npunet.open_results(folder)
        self.assertIsInstance(again, npunet.Run)
        self.assertEqual(again, run)
        # Dictionaries become files in the folder, so the same call is the same command.
        npunet.simulate(**STEP, output_dir=folder)
        with self.assertRaisesRegex(npunet.InputError, "--force"):
            npunet.simulate(**{**STEP, "batch": 8}, output_dir=folder)

    def test_bad_input_has_the_words_of_the_program(self):
        for changed, words in (
                ({"dpp": 2}, r"--dpp: found an unknown option; .* Did you mean --dp\?"),
                ({"model": "lama2-4layer"}, r"--model: found 'lama2-4layer'; .*llama2-4layer"),
                ({"network": {"topology": ["Ring"]}}, r"inputs/network.yml: .*npus_count")):
            with self.assertRaisesRegex(npunet.InputError, words) as caught:
                npunet.simulate(**{**STEP, **changed})
            self.assertEqual(caught.exception.exit_code, 2)
        self.assertEqual(self.left(), [])

    def test_partial_results(self):
        with self.assertRaises(npunet.StallError) as caught:
            npunet.simulate(**STEP, max_sim_time="1ms")
        self.assertEqual(caught.exception.exit_code, 3)
        self.assertEqual(caught.exception.partial.finish_ns, 1e6)
        self.assertIn("1.000 ms", caught.exception.partial.partial.reason)

    def test_absent_keys_and_files_name_what_is_there(self):
        run = npunet.simulate(**STEP)
        with self.assertRaisesRegex(AttributeError, "found no key 'finish'; .*finish_ns"):
            run.finish
        self.assertIsNone(run.get("partial"))
        self.assertIn("finish_ns", dir(run))
        with self.assertRaisesRegex(FileNotFoundError, "flows.csv: .*links.csv"):
            run.table("flows")
        self.assertGreater(len(npunet.simulate(**STEP, flows=True).table("flows")), 0)


class OtherCommands(Case):
    def test_compare(self):
        both = npunet.compare(**STEP, fidelities=["analytical", "fluid", "packet"])
        runs = both.by_fidelity
        self.assertEqual(list(runs), ["analytical", "fluid", "packet"])
        first, last = (runs[name].finish_ns for name in ("analytical", "packet"))
        self.assertEqual(sum(map(picoseconds, both.gap_ns.values())),
                         picoseconds(last) - picoseconds(first))
        self.assertAlmostEqual(both.ratio, last / first)
        for name, run in runs.items():
            self.assertEqual(run.finish_ns, both.runs[name].finish_ns)
            self.assertEqual(len(run.table("links")), 64)
        self.assertIsInstance(npunet.open_results(both.folder), npunet.Comparison)

    def test_sweep(self):
        system = self.folder / "system.json"
        system.write_text(json.dumps(STEP["system"]))
        network = self.folder / "network.yml"
        network.write_text(json.dumps(STEP["network"]))
        spec = {"workload": {"model": "llama2-4layer", "batch": 16, "seq": 256},
                "plan": {"dp": [1, 2, 4, 8, 16], "tp": [1, 2, 4, 8, 16]},
                "where": "dp * tp == npus", "systems": system, "networks": network}
        sweep = npunet.sweep(spec, output_dir=self.folder / "sweep")
        self.assertEqual([(row["dp"], row["tp"]) for row in sweep.table()],
                         [(1, 16), (2, 8), (4, 4), (8, 2), (16, 1)])
        self.assertEqual(sweep.best[0].max_finish_ns, min(sweep.table().column("max_finish_ns")))
        self.assertIn("why dp=", str(sweep))
        self.assertEqual(npunet.sweep(spec, output_dir=self.folder / "sweep"), sweep)  # resumed
        self.assertIsInstance(npunet.open_results(self.folder / "sweep"), npunet.Sweep)
        # A relative path in a dictionary is that of the working directory.
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        relative = {**spec, "systems": Path("system.json"), "networks": Path("network.yml")}
        self.assertEqual(npunet.sweep(relative).points, sweep.points)
        with self.assertRaisesRegex(npunet.InputError, "dpp"):
            npunet.sweep({**spec, "plan": {"dpp": [1]}})

    def test_query(self):
        # A ring's all-reduce of S bytes among n at rate r and latency l: 2 (n - 1) (S / (n r) + l).
        network = self.folder / "ring.yml"
        network.write_text(json.dumps({"topology": ["Ring"], "npus_count": [8], "bandwidth": [50],
                                       "latency": [500]}))
        ring = npunet.query("collective", network=network, min_size="64MiB", max_size="64MiB",
                            algorithm="ring")
        self.assertEqual(ring.algorithms[0].times[0].time_ns, 14 * (2**26 / 8 / 50 + 500))
        self.assertEqual(len(npunet.query("topology", network).nodes), 8)
        with self.assertRaisesRegex(npunet.InputError, "nowhere.yml"):
            npunet.query("topology", "nowhere.yml")

    def test_folder_without_results(self):
        with self.assertRaisesRegex(FileNotFoundError, "neither results.json nor compare.json"):
            npunet.open_results(self.temporary)


class Frames(Case):
    def test_without_pandas(self):
        table = npunet.Table(["rank"], [{"rank": 0}])
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "needs pandas.*python3-pandas"):
                table.to_pandas()

    def test_with_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        run = npunet.simulate(**STEP)
        frame = run.table("npus").to_pandas()
        self.assertEqual(list(frame.columns), run.table("npus").columns)
        self.assertEqual(frame["finish_ns"].max(), run.finish_ns)
        self.assertEqual(str(frame["rank"].dtype), "int64")


if __name__ == "__main__":
    unittest.main()

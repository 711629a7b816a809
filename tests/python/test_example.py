"""examples/python/plans.py and the code of docs/python.md run, and what they say and draw is there."""

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import npunet

ROOT = Path(__file__).resolve().parents[2]


class Example(unittest.TestCase):
    def test_plans(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, ROOT / "examples/python/plans.py"], cwd=folder, text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path),
                     "MPLCONFIGDIR": folder}, capture_output=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            plans = npunet.open_results(Path(folder) / "out/python/sweep")
            best = re.search(r"the best that fits: (\{.*\}), ([\d.]+) ms", ended.stdout)
            times = {row["max_finish_ns"]: row for row in plans.table()}
            least = times[min(times)]
            self.assertEqual(best[1], str({name: least[name] for name in ("dp", "tp", "pp")}))
            self.assertEqual(best[2], f"{min(times) / 1e6:.1f}")
            drawn = ended.stdout.split("Wrote\n")[1].splitlines()
            self.assertIn("out/python/sweep/time_memory.svg", drawn)
            if importlib.util.find_spec("matplotlib"):
                self.assertIn("out/python/plans.png", drawn)
                self.assertIn("out/python/time.png", drawn)
            else:
                self.assertIn("matplotlib is not installed", ended.stdout)
            for path in drawn:
                self.assertGreater((Path(folder) / path).stat().st_size, 1000, path)

    def test_page(self):
        """The blocks of Python run one after another."""
        page = (ROOT / "docs/python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
        self.assertGreaterEqual(len(blocks), 1)
        lines = "".join(blocks).splitlines()
        if not importlib.util.find_spec("pandas"):
            lines = [line for line in lines if "to_pandas()" not in line]
        variables = {}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec("\n".join(lines), variables)
        self.assertIn(variables["run"].summary.bottleneck.sentence, printed.getvalue())


if __name__ == "__main__":
    unittest.main()

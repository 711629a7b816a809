"""Where the program is looked for, and what its ends become. The programs here are shell scripts."""

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import npunet
from npunet.program import execute

PACKAGE = Path(npunet.__file__).parent


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def script(self, name, lines):
        """An executable shell script."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)
        return str(path)


class Finding(Case):
    """Each place is taken before those after it."""

    def found_by_copy(self, package, path):
        """What find_program() of a copy of the package finds."""
        target = self.folder / package
        shutil.copytree(PACKAGE, target / "npunet")
        return subprocess.run(
            [sys.executable, "-c", "import npunet; print(repr(npunet.find_program()))"],
            env={"PYTHONPATH": str(target), "PATH": path}, capture_output=True, text=True)

    def test_argument_then_environment_then_path(self):
        argument, variable = self.script("a/mine", ""), self.script("b/other", "")
        on_path = self.script("c/npunet", "")
        with mock.patch.dict(os.environ, {"NPUNET": variable, "PATH": str(self.folder / "c")}):
            self.assertEqual(npunet.find_program(argument), argument)
            self.assertEqual(npunet.find_program(Path(argument)), argument)
            self.assertEqual(npunet.find_program(), variable)
            del os.environ["NPUNET"]
            self.assertEqual(npunet.find_program(), on_path)

    def test_named_but_absent(self):
        with mock.patch.dict(os.environ, {"NPUNET": "/nowhere/npunet"}):
            with self.assertRaisesRegex(npunet.ProgramNotFound, "NPUNET: found '/nowhere/npunet'"):
                npunet.find_program()
        with self.assertRaisesRegex(npunet.ProgramNotFound, "program: found '/nowhere/else'"):
            npunet.simulate(program="/nowhere/else")

    def test_beside_an_installation(self):
        program = self.script("usr/bin/npunet", "")
        found = self.found_by_copy("usr/lib/python3/dist-packages", "/nowhere")
        self.assertEqual(found.stdout, f"{program!r}\n")

    def test_in_a_source_tree(self):
        program = self.script("tree/build/release/npunet", "")
        self.assertEqual(self.found_by_copy("tree/python", "/nowhere").stdout, f"{program!r}\n")

    def test_nowhere(self):
        found = self.found_by_copy("tree/python", "/nowhere")
        self.assertIn("ProgramNotFound: found no program npunet on the PATH", found.stderr)


class Ends(Case):
    def error(self, lines):
        with self.assertRaises(npunet.NpunetError) as caught:
            execute([self.script("fake", lines)])
        return caught.exception

    def test_exit_codes(self):
        message = "echo 'npunet: simulating' >&2; echo 'npunet: bad: x' >&2; echo '  more' >&2"
        for code, kind in ((1, npunet.InternalError), (2, npunet.InputError),
                           (3, npunet.StallError), (4, npunet.SystemFailure)):
            error = self.error(f"{message}; exit {code}")
            self.assertIs(type(error), kind)
            self.assertEqual((str(error), error.exit_code), ("bad: x\n  more", code))
            self.assertEqual(error.messages, ["npunet: simulating", "npunet: bad: x", "  more"])
            self.assertIsNone(error.partial)

    def test_killed_or_silent(self):
        error = self.error("kill -KILL $$")
        self.assertIs(type(error), npunet.InternalError)
        self.assertEqual(error.exit_code, -signal.SIGKILL)
        self.assertEqual(str(self.error("exit 7")), "npunet ended with exit code 7")

    def test_much_output_on_both_streams(self):
        """More than any pipe holds."""
        printed, messages = execute([self.script(
            "fake", "i=0; while [ $i -lt 20000 ]; do echo line $i; echo message $i >&2; "
            "i=$((i+1)); done")])
        self.assertEqual(printed.splitlines(), [f"line {i}" for i in range(20000)])
        self.assertEqual(messages, [f"message {i}" for i in range(20000)])

    def test_progress_as_it_comes(self):
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            execute([self.script("fake", "echo 'npunet: half' >&2")], progress=True)
        self.assertEqual(shown.getvalue(), "npunet: half\n")
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            execute([self.script("fake", "echo 'npunet: half' >&2")])
        self.assertEqual(shown.getvalue(), "")

    def test_temporary_folders_go_after_an_error(self):
        with mock.patch.object(tempfile, "tempdir", str(self.folder)):
            with self.assertRaises(npunet.InputError):
                npunet.simulate(program=self.script("bin/fake", "exit 2"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bin"])


class CtrlC(Case):
    """The program gets one SIGINT, though only Python got the signal; its folder goes with it."""

    def stop(self, lines, signals):
        fake = self.script("bin/fake", lines)
        (self.folder / "tmp").mkdir()
        python = subprocess.Popen(
            [sys.executable, "-c", f"import npunet; npunet.simulate(program={fake!r})"],
            env={**os.environ, "TMPDIR": str(self.folder / "tmp"),
                 "HERE": str(self.folder), "PYTHONPATH": str(PACKAGE.parent)},
            # Where the tests run in the background, SIGINT may be ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(python.stderr.close)
        for awaited in signals:
            self.wait_for(awaited)
            python.send_signal(signal.SIGINT)
        self.assertIn("KeyboardInterrupt", python.stderr.read())
        self.assertEqual(python.wait(), -signal.SIGINT)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def wait_for(self, name):
        until = time.monotonic() + 60
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), until, name)
            time.sleep(0.01)

    def test_the_program_may_finish(self):
        self.stop("trap 'echo stopped >>$HERE/log; exit 130' INT; touch $HERE/runs; "
                  "while :; do sleep 0.05; done", ["runs"])
        self.assertEqual((self.folder / "log").read_text(), "stopped\n")

    def test_while_it_starts(self):
        """The signal comes from the program itself, before Popen() has returned or soon after."""
        for _ in range(20):
            (self.folder / "log").unlink(missing_ok=True)
            fake = self.script("bin/fake", "trap 'echo stopped >>$HERE/log; exit 130' INT; "
                               "kill -INT $PPID; while :; do sleep 0.05; done")
            ended = subprocess.run(
                [sys.executable, "-c", f"import npunet; npunet.query('x', program={fake!r})"],
                env={**os.environ, "HERE": str(self.folder), "PYTHONPATH": str(PACKAGE.parent)},
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertIn("KeyboardInterrupt", ended.stderr)
            self.assertEqual((self.folder / "log").read_text(), "stopped\n")

    def test_twice_kills_it(self):
        self.stop("trap 'touch $HERE/ignored' INT; echo $$ >$HERE/pid; touch $HERE/runs; "
                  "while :; do sleep 0.05; done", ["runs", "ignored"])
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)


if __name__ == "__main__":
    unittest.main()

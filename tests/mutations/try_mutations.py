"""Does a test fail when a number of a formula changes?

In a copy of the sources every number in the bodies of the files of formulas.txt is changed in turn,
one at a time; the tests of the file's room are built and run until one fails. What is known not to
change any result is listed with its reason in equivalent.txt.

    try_mutations.py COPY BUILD [--only TEXT] [--operators] [--count-only]

Prints a line for each change and a table for each file; exit code 1 when a change went unnoticed.
"""

import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_SECONDS = 120
NUMBER = re.compile(r"(?<![\w.'\"])(\d+\.\d+|\d+)(?=[uUlLf]*(?![\w.'\"]))")
OPERATORS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "),
             (" + ", " - "), (" - ", " + "), (" * ", " / "), (" == ", " != "), (" && ", " || ")]


def changed(number):
    """Another number of the same kind."""
    return str(float(number) * 1.5) if "." in number else str(int(number) + 1)


def code_spans(line):
    """Where a line is code and neither comment nor text."""
    code = line.split("//")[0]
    if code.lstrip().startswith("#") or "static_assert" in code:
        return ""
    return re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text.group()), code)


def changes_of(text, operators):
    """All changes of a file: (line number, column, old, new)."""
    found = []
    for index, line in enumerate(text.splitlines()):
        code = code_spans(line)
        for match in NUMBER.finditer(code):
            found.append((index, match.start(), match.group(), changed(match.group())))
        for old, new in OPERATORS if operators else []:
            for match in re.finditer(re.escape(old), code):
                found.append((index, match.start(), old, new))
    return found


def with_change(text, change):
    index, column, old, new = change
    lines = text.split("\n")
    line = lines[index]
    lines[index] = line[:column] + new + line[column + len(old):]
    return "\n".join(lines), line.strip(), lines[index].strip()


def read_list(name):
    """The lines of a list beside this file, without comments."""
    lines = (HERE / name).read_text().splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def equivalent_changes():
    """(file, old line, new line) of the changes that no result shows."""
    known = set()
    for line in read_list("equivalent.txt"):
        file, old, new = (part.strip() for part in re.split(r"  \|  ", line))
        known.add((file, old, new))
    return known


class Trial:
    """A copy of the sources, its build, and the programs that look at a file."""

    def __init__(self, copy, build):
        self.copy = copy
        self.build = build

    def compiles(self, targets):
        command = ["cmake", "--build", str(self.build), "--target", *targets]
        return subprocess.run(command, capture_output=True).returncode == 0

    def notices(self, targets):
        """The name of the test that fails first, or "" when all pass."""
        for target in targets:
            room = target.removesuffix("_tests")
            command = [str(self.build / "tests" / room / target), "--gtest_brief=1",
                       "--gtest_fail_fast"]
            try:
                run = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS,
                                     errors="replace", text=True)
            except subprocess.TimeoutExpired:
                return f"{target}: no end"
            if run.returncode != 0:
                failed = re.search(r"\[  FAILED  \] ([\w/.]+)", run.stdout)
                return failed.group(1) if failed else f"{target}: exit {run.returncode}"
        return ""


def try_file(trial, file, targets, options, known, missed):
    path = trial.copy / file
    original = path.read_text()
    counts = dict.fromkeys(["noticed", "refused", "equivalent", "missed"], 0)
    try:
        for change in changes_of(original, options.operators):
            text, before, after = with_change(original, change)
            what = f"{file}:{change[0] + 1}: {before}  |  {after}"
            if options.only and options.only not in what:
                continue
            if (file, before, after) in known:
                kind, how = "equivalent", "known to change nothing"
            elif options.count_only:
                kind, how = "missed", "not tried"
            else:
                path.write_text(text)
                if not trial.compiles(targets):
                    kind, how = "refused", "does not compile"
                else:
                    how = trial.notices(targets)
                    kind = "noticed" if how else "missed"
            if kind == "missed":
                missed.append(what)
            counts[kind] += 1
            print(f"{kind:10} {what}  ({how or 'NO TEST FAILS'})", flush=True)
    finally:
        path.write_text(original)
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("copy", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", help="only changes whose place and lines contain this")
    parser.add_argument("--operators", action="store_true", help="change operators, too")
    parser.add_argument("--count-only", action="store_true", help="list them, try none")
    options = parser.parse_args()

    trial = Trial(options.copy, options.build)
    known = equivalent_changes()
    missed = []
    table = []
    for line in read_list("formulas.txt"):
        file, *targets = line.split()
        if not (trial.copy / file).is_file():
            sys.exit(f"{file}: listed in formulas.txt, and not there")
        table.append((file, try_file(trial, file, targets, options, known, missed)))

    print(f"\n{'file':48} {'noticed':>8} {'refused':>8} {'equivalent':>10} {'missed':>7}")
    for file, counts in table:
        if sum(counts.values()) > 0:
            print(f"{file:48} {counts['noticed']:8} {counts['refused']:8} "
                  f"{counts['equivalent']:10} {counts['missed']:7}")
    total = {kind: sum(counts[kind] for _, counts in table) for kind in
             ("noticed", "refused", "equivalent", "missed")}
    print(f"{'all':48} {total['noticed']:8} {total['refused']:8} {total['equivalent']:10} "
          f"{total['missed']:7}")
    for what in missed:
        print(f"missed: {what}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

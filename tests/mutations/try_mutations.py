"""Does a test fail when a number of a formula changes?

In a copy of the sources every number in the bodies of the files of formulas.txt becomes a choice
between itself and another one, made by the environment variable NPUNET_CHANGE when the program runs;
so all changes are built at once. The tests of the file's room are then run once for each change,
until one fails. Numbers that must be known to the compiler (array sizes, constants) are changed,
built and tried one by one. What is known not to change any result is listed with its reason in
equivalent.txt.

    try_mutations.py COPY BUILD [--only TEXT]... [--operators] [--count-only] [--jobs N]

Prints a line for each change and a table for each file; exit code 1 when a change went unnoticed.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_SECONDS = 120
NUMBER = re.compile(r"(?<![\w.'\"])(\d[\d']*(?:\.\d+)?(?:e[+-]?\d+)?)([uUlLf]*)(?![\w.'\"])")
OPERATORS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "),
             (" + ", " - "), (" - ", " + "), (" * ", " / "), (" == ", " != "), (" && ", " || ")]
CHOOSER = """#include <cstdlib>
inline int npunet_chosen_change()
{
    static const int chosen = [] {
        const char* text = std::getenv("NPUNET_CHANGE");
        return text == nullptr ? -1 : std::atoi(text);
    }();
    return chosen;
}
#line 1
"""


@dataclasses.dataclass
class Change:
    """One change of one place; `lines` counts from 0."""

    file: str
    line: int
    column: int
    old: str
    new: str
    before: str
    at_run_time: bool

    @property
    def after(self):
        return self.before[:self.column] + self.new + self.before[self.column + len(self.old):]

    @property
    def name(self):
        return f"{self.file}:{self.line + 1}: {self.before.strip()}  |  {self.after.strip()}"


def changed(number):
    """Another number of the same kind."""
    if "." in number or "e" in number:
        return str(float(number.replace("'", "")) * 1.5)
    return str(int(number.replace("'", "")) + 1)


def code_of(line):
    """A line with comments and texts blanked out; nothing of lines that change no result."""
    code = line.split("//")[0]
    if code.lstrip().startswith(("#", "*", "/*")):
        return ""
    if "assert(" in code or ".reserve(" in code:
        return ""
    return re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text.group()), code)


def changes_of(file, text, operators):
    """All changes of a file."""
    found = []
    for index, line in enumerate(text.split("\n")):
        code = code_of(line)
        for match in NUMBER.finditer(code):
            new = changed(match.group(1)) + match.group(2)
            found.append(Change(file, index, match.start(), match.group(), new, line, True))
        for old, new in OPERATORS if operators else []:
            for match in re.finditer(re.escape(old), code):
                found.append(Change(file, index, match.start(), old, new, line, False))
    return found


def with_change(text, change):
    lines = text.split("\n")
    lines[change.line] = change.after
    return "\n".join(lines)


def with_choices(text, numbered):
    """The text in which each of the (number, change) is chosen when the program runs."""
    lines = text.split("\n")
    for number, change in sorted(numbered, key=lambda one: -one[1].column):
        line = lines[change.line]
        choice = f"(npunet_chosen_change() == {number} ? {change.new} : {change.old})"
        lines[change.line] = line[:change.column] + choice + line[change.column + len(change.old):]
    return CHOOSER + "\n".join(lines)


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

    def compile(self, targets):
        """What the compiler says, or None when all went well."""
        command = ["cmake", "--build", str(self.build), "--target", *targets, "--", "-k", "0"]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        return None if run.returncode == 0 else run.stdout + run.stderr

    def notices(self, targets, number=-1):
        """The name of the test that fails first, or "" when all pass."""
        environment = dict(os.environ, NPUNET_CHANGE=str(number))
        for target in targets:
            room = target.removesuffix("_tests")
            command = [str(self.build / "tests" / room / target), "--gtest_brief=1",
                       "--gtest_fail_fast"]
            try:
                run = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS,
                                     errors="replace", text=True, env=environment)
            except subprocess.TimeoutExpired:
                return f"{target}: no end"
            if run.returncode != 0:
                failed = re.search(r"\[  FAILED  \] ([\w/.]+)", run.stdout)
                return failed.group(1) if failed else f"{target}: exit {run.returncode}"
        return ""


class Results:
    """What became of each change."""

    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.missed = []

    def add(self, change, kind, how):
        self.counts[change.file][kind] += 1
        if kind == "missed":
            self.missed.append(change.name)
        print(f"{kind:10} {change.name}  ({how or 'NO TEST FAILS'})", flush=True)

    def print_table(self):
        kinds = ["noticed", "refused", "equivalent", "missed"]
        print("\n" + f"{'file':48}" + "".join(f"{kind:>11}" for kind in kinds))
        total = collections.Counter()
        for file, counts in self.counts.items():
            print(f"{file:48}" + "".join(f"{counts[kind]:11}" for kind in kinds))
            total += counts
        print(f"{'all':48}" + "".join(f"{total[kind]:11}" for kind in kinds))
        for name in self.missed:
            print(f"missed: {name}")


def build_with_choices(trial, texts, changes, targets_of):
    """Builds all changes that can be chosen at run time; those that cannot lose the mark."""
    targets = sorted({target for change in changes for target in targets_of[change.file]})
    while True:
        for file, text in texts.items():
            numbered = [(number, change) for number, change in enumerate(changes)
                        if change.file == file and change.at_run_time]
            (trial.copy / file).write_text(with_choices(text, numbered))
        said = trial.compile(targets)
        if said is None:
            if failed := trial.notices(targets):
                sys.exit(f"a test fails without any change: {failed}")
            return
        wrong = {(match.group(1), int(match.group(2)) - 1) for match in
                 re.finditer(r"([\w./-]+\.(?:cc|h)):(\d+):\d+: (?:error|note|  )", said)}
        undone = 0
        for change in changes:
            if change.at_run_time and any(path.endswith(change.file) and line == change.line
                                          for path, line in wrong):
                change.at_run_time = False
                undone += 1
        if undone == 0:
            sys.exit(f"the choices do not compile:\n{said[-4000:]}")


def try_choices(trial, changes, targets_of, jobs, results):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = [(change, pool.submit(trial.notices, targets_of[change.file], number))
                for number, change in enumerate(changes) if change.at_run_time]
        for change, run in runs:
            how = run.result()
            results.add(change, "noticed" if how else "missed", how)


def try_one_by_one(trial, texts, changes, targets_of, results):
    for change in changes:
        if change.at_run_time:
            continue
        path = trial.copy / change.file
        targets = targets_of[change.file]
        path.write_text(with_change(texts[change.file], change))
        if trial.compile(targets) is not None:
            results.add(change, "refused", "does not compile")
        else:
            how = trial.notices(targets)
            results.add(change, "noticed" if how else "missed", how)
        path.write_text(texts[change.file])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("copy", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", action="append",
                        help="only changes whose place and lines contain this, or another --only")
    parser.add_argument("--operators", action="store_true", help="change operators, too")
    parser.add_argument("--count-only", action="store_true", help="list them, try none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs run at a time")
    options = parser.parse_args()

    trial = Trial(options.copy, options.build)
    targets_of = {}
    for line in read_list("formulas.txt"):
        file, *targets = line.split()
        targets_of[file] = targets
        if not (trial.copy / file).is_file():
            sys.exit(f"{file}: listed in formulas.txt, and not there")
    texts = {file: (trial.copy / file).read_text() for file in targets_of}
    known = equivalent_changes()
    results = Results()
    changes = []
    for file, text in texts.items():
        for change in changes_of(file, text, options.operators):
            if options.only and not any(text in change.name for text in options.only):
                continue
            if (file, change.before.strip(), change.after.strip()) in known:
                results.add(change, "equivalent", "known to change nothing")
            elif options.count_only:
                results.add(change, "missed", "not tried")
            else:
                changes.append(change)

    try:
        if changes:
            build_with_choices(trial, texts, changes, targets_of)
            try_choices(trial, changes, targets_of, options.jobs, results)
    finally:
        for file, text in texts.items():
            (trial.copy / file).write_text(text)
    try_one_by_one(trial, texts, changes, targets_of, results)
    results.print_table()
    sys.exit(1 if results.missed else 0)


if __name__ == "__main__":
    main()

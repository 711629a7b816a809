"""Finds ranks that do the same work, and records one of each.

A rank's place in its group of each kind (tensor-parallel, pipeline-parallel, ...) are its
coordinates. Along each axis through rank 0 some ranks are recorded, and all where these differ;
then one rank of each combination of what differs. Two ranks do the same if their logs are equal
once ranks and groups are told by places.
"""

import hashlib
import itertools
import json
import os

from npunet_recorder import summary


class Grid:
    """The ranks as points of a grid, whose axes are families of groups."""

    def __init__(self, groups, families, ranks):
        self.groups = groups
        self.families = families
        self.family_of = {number: place for place, family in enumerate(families)
                          for number in family}
        self.axes = []
        self._points = [()] * ranks
        for family in sorted(families, key=lambda one: len(groups[one[0]][0])):
            self._try_axis(family, ranks)
        self._add_rest(ranks)
        self.rank_at = {point: rank for rank, point in enumerate(self._points)}
        size = 1
        for axis in self.axes:
            size *= axis
        self.regular = size == ranks and len(self.rank_at) == ranks

    def _try_axis(self, family, ranks):
        """A family becomes an axis if it covers all ranks and tells them further apart."""
        size = len(self.groups[family[0]][0])
        if size <= 1 or size >= ranks or len(family) * size != ranks:
            return
        place = {}
        for number in family:
            for position, rank in enumerate(self.groups[number][0]):
                place[rank] = position
        points = [point + (place[rank],) for rank, point in enumerate(self._points)]
        if len(set(points)) == len(set(self._points)) * size:
            self._points = points
            self.axes.append(size)

    def _add_rest(self, ranks):
        """Ranks that no group tells apart are told apart by their order."""
        seen = {}
        places = []
        for point in self._points:
            places.append(seen.get(point, 0))
            seen[point] = places[-1] + 1
        rest = max(seen.values())
        if rest > 1:
            self._points = [point + (places[rank],) for rank, point in enumerate(self._points)]
            self.axes.append(rest)

    def point(self, rank):
        return self._points[rank]

    def place_of_peer(self, rank, peer):
        """Where the peer stands in the smallest group with both."""
        best = None
        for number, (members, _) in enumerate(self.groups):
            if (best is None or len(members) < len(self.groups[best][0])) \
                    and rank in members and peer in members:
                best = number
        return [self.family_of[best], self.groups[best][0].index(peer)]


def lines_by_places(path, rank, grid):
    """The records of a log as (line, line with ranks and groups told by places), without its head."""
    peers = {}
    with open(path, encoding="utf-8") as file:
        next(file)
        for line in file:
            if line.startswith('{"group"'):
                continue
            told = line
            if line.startswith('{"call"'):
                record = json.loads(line)
                if "root" in record:
                    members = grid.groups[record["group"]][0]
                    record["root"] = members.index(record["root"])
                if "peer" in record:
                    if record["peer"] not in peers:
                        peers[record["peer"]] = grid.place_of_peer(rank, record["peer"])
                    record["peer"] = peers[record["peer"]]
                record["group"] = grid.family_of[record["group"]]
                told = json.dumps(record)
            yield line, told


def signature(path, rank, grid):
    """Equal for logs of ranks that do the same."""
    digest = hashlib.sha256()
    for _, told in lines_by_places(path, rank, grid):
        digest.update(told.encode())
    return digest.hexdigest()


def _described(record):
    if "call" in record:
        more = "".join(f", {key} {record[key]}" for key in ("root", "peer", "tag") if key in record)
        return f"call {record['call']}, {record['type']} of {record['bytes']} bytes in group " \
               f"{record['group']}{more}"
    if "op" in record:
        path = f" in {record['module']}" if "module" in record else ""
        return f"the operation {record['op']}{path}, {record['phase']}"
    if "wait" in record:
        return f"the wait for call {record['wait']}"
    if "warning" in record:
        return "a warning"
    return "the end" if "end" in record else "an event of streams"


def first_difference(path, rank, other_path, other_rank, grid):
    """What the rank does where it first differs from the other: (description, that of the other,
    line of the program, "" where that is not known); None where they do the same."""
    pairs = itertools.zip_longest(lines_by_places(path, rank, grid),
                                  lines_by_places(other_path, other_rank, grid),
                                  fillvalue=("{}", ""))
    last = None
    for (line, told), (other_line, other_told) in pairs:
        if told != other_told:
            record, other = json.loads(line), json.loads(other_line)
            own = _described(record)
            if "call" not in record and last is not None:
                last = json.loads(last)
                own += f", after call {last['call']} at {last['at']}"
            return own, _described(other), record.get("at", "")
        if line.startswith('{"call"'):
            last = line
    return None


class Search:
    def __init__(self, runner, job):
        self._runner = runner
        self._job = job
        self._ranks = job["ranks"]
        self._signatures = {}
        self._grid = None

    def _log(self, rank):
        return os.path.join(self._job["logs"], f"rank.{rank}.jsonl")

    def _record(self, ranks):
        """Records those that have not been; returns a failure, or None."""
        missing = sorted(set(ranks) - set(self._signatures))
        # The first alone: what it says to others is known when theirs are recorded.
        failure = self._runner.record(missing, None if self._signatures else 1)
        if failure is None:
            for rank in missing:
                self._signatures[rank] = signature(self._log(rank), rank, self._grid) \
                    if self._grid else ""
        return failure

    def _along(self, axis, position):
        """The rank with this place on the axis and the places of rank 0 on the others."""
        point = list(self._grid.point(0))
        point[axis] = position
        return self._grid.rank_at[tuple(point)]

    def _classes(self, axis):
        """For each place on the axis the first that does the same; or a failure."""
        size = self._grid.axes[axis]
        base = self._along(axis, self._grid.point(0)[axis])
        samples = sorted({0, 1, size // 2, size - 1})
        failure = self._record([self._along(axis, place) for place in samples])
        if failure is not None:
            return None, failure
        if all(self._signatures[self._along(axis, place)] == self._signatures[base]
               for place in samples):
            return [0] * size, None
        failure = self._record([self._along(axis, place) for place in range(size)])
        if failure is not None:
            return None, failure
        first = {}
        return [first.setdefault(self._signatures[self._along(axis, place)], place)
                for place in range(size)], None

    def run_told(self):
        """The same where the job says which rank stands for each: as_rank; and which of the others
        are recorded all the same, to see whether that is so: probes."""
        as_rank, probes = self._job["as_rank"], self._job["probes"]
        failure = self._record([0])
        if failure is not None:
            return [], [], [], failure
        groups = summary.read_groups(self._log(0))
        families = summary.families_of(groups)
        self._grid = Grid(groups, families, self._ranks)
        self._signatures[0] = signature(self._log(0), 0, self._grid)
        failure = self._record([*sorted(set(as_rank)), *probes])
        if failure is not None:
            return [], [], [], failure
        for rank in probes:
            failure = failure or self._check_told(rank, as_rank[rank])
        log_of = [rank if rank in self._signatures else told for rank, told in enumerate(as_rank)]
        return sorted(self._signatures), log_of, families, failure

    def _check_told(self, rank, other):
        if self._signatures[rank] == self._signatures[other]:
            return None
        own, others, line = first_difference(self._log(rank), rank, self._log(other), other,
                                             self._grid)
        return {"rank": rank, "kind": "unsupported", "at": line,
                "message": f"{own}, where rank {other} has {others}, though by the sizes given the "
                           "two do the same work",
                "remedy": "Correct --tp, --cp, --dp, --pp or --rank-order, or leave them out: "
                          "npunet finds such ranks by itself"}

    def run(self):
        """Returns (recorded ranks, log of each rank, families, failure)."""
        if self._job.get("as_rank"):
            return self.run_told()
        failure = self._record([0])
        if failure is not None:
            return [], [], [], failure
        groups = summary.read_groups(self._log(0))
        families = summary.families_of(groups)
        grid = Grid(groups, families, self._ranks)
        if not grid.regular:
            failure = self._record(range(self._ranks))
            everyone = list(range(self._ranks))
            return everyone, everyone, families, failure
        self._grid = grid
        self._signatures[0] = signature(self._log(0), 0, grid)
        classes = []
        for axis in range(len(grid.axes)):
            of_axis, failure = self._classes(axis)
            if failure is not None:
                return [], [], [], failure
            classes.append(of_axis)
        representatives = [grid.rank_at[point]
                           for point in itertools.product(*[sorted(set(one)) for one in classes])]
        failure = self._record(representatives + [self._ranks - 1])
        if failure is not None:
            return [], [], [], failure
        log_of = []
        for rank in range(self._ranks):
            point = tuple(of_axis[place] for of_axis, place in zip(classes, grid.point(rank)))
            log_of.append(rank if rank in self._signatures else grid.rank_at[point])
        failure = self._check_last(grid, classes)
        return sorted(self._signatures), log_of, families, failure

    def _check_last(self, grid, classes):
        last = self._ranks - 1
        point = tuple(of_axis[place] for of_axis, place in zip(classes, grid.point(last)))
        if self._signatures[last] == self._signatures[grid.rank_at[point]]:
            return None
        return {"rank": last, "kind": "unsupported", "at": "",
                "message": f"other work than rank {grid.rank_at[point]} does, though each of its "
                           "groups suggests that they do the same",
                "remedy": "Record all ranks: leave out --distinct"}

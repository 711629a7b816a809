"""recording.json: which ranks were recorded, and which groups are of one kind."""

import json


def read_groups(path):
    """The groups that a log lists: [(ranks, backend)], by number."""
    groups = []
    with open(path, encoding="utf-8") as file:
        next(file)
        for line in file:
            if not line.startswith('{"group"'):
                break
            record = json.loads(line)
            groups.append((record["ranks"], record["backend"]))
    return groups


def families_of(groups):
    """Groups of one kind, such as all tensor-parallel ones: of one size and without common ranks.

    Programs make them together, or those of several kinds in turn: each group joins the first
    family that it fits.
    """
    families = []
    for number, (ranks, backend) in enumerate(groups):
        own = set(ranks)
        for size, name, covered, members in families:
            if size == len(ranks) and name == backend and not covered & own:
                covered |= own
                members.append(number)
                break
        else:
            families.append((len(ranks), backend, own, [number]))
    return [members for _, _, _, members in families]


def write(path, ranks, recorded, log_of, families):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"ranks": ranks, "recorded": recorded, "log_of": log_of, "families": families},
                  file)

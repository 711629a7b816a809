"""Process groups of any name and any size, answered by the backend in this process."""

import datetime
import inspect
import types

import npunet_backend
import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d

from npunet_recorder.errors import RecordingError

BACKEND = "npunet"


def rank_store():
    """A store of this process alone."""
    store = dist.HashStore()
    store.set_timeout(datetime.timedelta(seconds=5))
    return store


class GroupFactory:
    """Numbers the groups as the program makes them: 0 is the world, and all ranks count alike.

    observer_of(number, members, key) makes the observer of a group of which the rank is a member;
    key tells groups with the same members from each other.
    """

    def __init__(self, log, rank, observer_of, inner_of=None):
        self._log = log
        self._rank = rank
        self._observer_of = observer_of
        self._inner_of = inner_of
        self._groups = 0
        self.made = []
        self._copies = {}
        self._next = None

    def begin(self, members, backend):
        """A group is about to be made: create() is then called where the rank is a member."""
        number = self._groups
        self._groups += 1
        copy = self._copies.get(tuple(members), 0)
        self._copies[tuple(members)] = copy + 1
        self._log.add_group(number, members, backend)
        self._next = (number, members, (tuple(members), copy))

    def create(self, store, rank, size, timeout):
        number, members, key = self._next
        inner = self._inner_of(store, rank, size, timeout) if self._inner_of else None
        observer = self._observer_of(number, members, key)
        # Not the name asked for: by it PyTorch's logger takes the group for a real one of Gloo.
        self.made.append(npunet_backend.RecordingGroup(rank, size, BACKEND, observer, inner))
        return self.made[-1]


def _asked_name(backend):
    name = str(backend).lower()
    return "gloo" if name in ("undefined", "") else name


def install(factory, rank, ranks, alone=True):
    """Every process group of this process is the factory's. alone: there are no other processes."""
    if BACKEND.upper() not in c10d.Backend._plugins:
        register = c10d.Backend.register_backend
        # From PyTorch 2.0 on a backend is of devices.
        devices = {"devices": ["cpu", "cuda"]} \
            if "devices" in inspect.signature(register).parameters else {}
        register(BACKEND, factory.create, **devices)
    make = c10d._new_process_group_helper
    parameters = inspect.signature(make)

    def new_process_group(*args, **kwargs):
        asked = parameters.bind(*args, **kwargs)
        name = _asked_name(asked.arguments["backend"])
        if name == "mpi":
            raise RecordingError("unsupported", "the backend mpi, which is asked for",
                                 "Use gloo or nccl")
        members = asked.arguments["global_ranks_in_group"]
        size = asked.arguments["group_size"]
        factory.begin(list(members) if members else list(range(size)), name)
        asked.arguments["backend"] = BACKEND
        for option in ("pg_options", "backend_options", "device_id"):
            asked.arguments.pop(option, None)
        made = make(*asked.args, **asked.kwargs)
        # From PyTorch 2.1 on with its store.
        group = made[0] if isinstance(made, tuple) else made
        if group in c10d._pg_map:
            c10d._pg_map[group] = (name, c10d._pg_map[group][1])
        return made

    c10d._new_process_group_helper = new_process_group
    if alone:
        _install_alone(rank, ranks)


class _NcclGroup:
    """What programs look up to make options; no group is one."""

    Options = types.SimpleNamespace


def _install_alone(rank, ranks):
    def rendezvous(_url, wanted_rank=-1, wanted_ranks=-1, **_):
        yield (rank_store(), rank if wanted_rank < 0 else wanted_rank,
               ranks if wanted_ranks < 0 else wanted_ranks)

    def no_barrier(*_args, **_kwargs):
        pass

    c10d.rendezvous = rendezvous
    c10d._store_based_barrier = no_barrier
    # PyTorch without NCCL has no default of it, and warns where a program asks.
    if getattr(c10d, "default_pg_nccl_timeout", True) is None:
        c10d.default_pg_nccl_timeout = datetime.timedelta(minutes=10)
    for module in (dist, c10d):
        module.is_nccl_available = lambda: True
        for name in ("TCPStore", "FileStore"):
            setattr(module, name, lambda *_args, **_kwargs: rank_store())
        if not hasattr(module, "ProcessGroupNCCL"):
            module.ProcessGroupNCCL = _NcclGroup

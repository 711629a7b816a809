"""What ranks say to each other by messages: shapes and objects, whole numbers all.

A rank that needs a message of another that has not said it yet stops recording (Needs), and is
recorded again when that one has said more. What each rank says is in a file of its own.
"""

import os
import pickle

import torch

from npunet_recorder.errors import RecordingError


def pack(tensor):
    """A tensor as what pickle can keep, of any type."""
    flat = tensor.detach().reshape(-1).contiguous()
    return tensor.dtype, tuple(tensor.shape), flat.view(torch.uint8).numpy().tobytes()


def unpack(packed):
    dtype, shape, content = packed
    if not content:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(bytearray(content), dtype=dtype).view(shape)


def write_pickle(path, value):
    """Complete or absent: others may read it at any time."""
    with open(f"{path}.{os.getpid()}", "wb") as file:
        pickle.dump(value, file)
    os.replace(f"{path}.{os.getpid()}", path)


def read_pickle(path, default):
    if not os.path.exists(path):
        return default
    with open(path, "rb") as file:
        return pickle.load(file)


class Needs(RecordingError):
    """The recording cannot go on before another rank has said more than these messages."""

    def __init__(self, rank, seen, line):
        super().__init__("needs", f"waits for a message of rank {rank} that never comes",
                         "Look where that rank is meanwhile", line)
        self.rank = rank
        self.seen = seen


class Messages:
    """Of one rank: what it says, and what others have said.

    A message is told by the group, sender, receiver, tag and its number among those. Values that
    do not exist are said as None.
    """

    def __init__(self, folder, rank):
        self._folder = folder
        self._rank = rank
        self._said = {}
        self._counts = {}
        self._heard = {}

    def _path(self, rank):
        return os.path.join(self._folder, f"messages.{rank}.pickle")

    def _numbered(self, group, sender, receiver, tag):
        key = (group, sender, receiver, tag)
        number = self._counts.get(key, 0)
        self._counts[key] = number + 1
        return key + (number,)

    def say(self, group, receiver, tag, tensor, known):
        self._said[self._numbered(group, self._rank, receiver, tag)] = \
            pack(tensor) if known else None

    def expect(self, group, sender, tag):
        """The next message of the sender: to be asked for by hear()."""
        return self._numbered(group, sender, self._rank, tag)

    def hear(self, message, line):
        """The values, or None where they do not exist or the sender never sends them."""
        sender = message[1]
        if message not in self._heard.get(sender, {}):
            complete, said = read_pickle(self._path(sender), (False, {}))
            self._heard[sender] = said
            if message not in said and not complete:
                raise Needs(sender, len(said), line)
        packed = self._heard[sender].get(message)
        return None if packed is None else unpack(packed)

    def write(self, complete):
        """Lets the others hear; returns how many messages there are."""
        write_pickle(self._path(self._rank), (complete, self._said))
        return len(self._said)

"""What the parts of a recording share: the log, calls in progress, streams, policies."""

import npunet_backend

from npunet_recorder.log import CallLog
from npunet_recorder.shares import Shares


class Policy:
    """How questions about values that do not exist are answered.

    scalar: what .item() of an unknown value gives; at_lines: the same by line, "train.py:57";
    balanced: counts of tokens an expert are equal.
    """

    def __init__(self, scalar=0, at_lines=None, balanced=False):
        self.scalar = scalar
        self.at_lines = at_lines or {}
        self.balanced = balanced


class Recording:
    def __init__(self, rank, ranks, policy):
        self.rank = rank
        self.ranks = ranks
        self.policy = policy
        self.log = CallLog(rank, ranks)
        self.shares = Shares() if policy.balanced else None
        self.paused = 0
        self.inputs = False  # whether operations are recorded with the shapes of their inputs
        self.on_cuda = False  # once the program has asked for it
        self.stream = 0
        self.streams = 1
        self.events = 0
        self.phase = "forward"
        self.modules = []
        self._open = {}

    def begin_call(self, call, inputs, outputs, line):
        """The call is in progress: it reads and writes these tensors."""
        # The tensors are kept, so that their addresses are of no others meanwhile.
        self._open[call] = _OpenCall(_spans(inputs), _spans(outputs), (inputs, outputs), line)

    def end_call(self, call):
        self._open.pop(call, None)

    def calls_touching(self, read, written):
        """Calls in progress that what reads and writes these tensors has to wait for."""
        if not self._open:
            return []
        reads, writes = _spans(read), _spans(written)
        touched = [call for call, one in self._open.items()
                   if _overlap(one.writes, reads) or _overlap(one.writes, writes)
                   or _overlap(one.reads, writes)]
        for call in touched:
            del self._open[call]
        return touched

    def unfinished(self):
        """(call, line) of calls that have not been waited for and whose results are unused.

        Sends, which have none, end by themselves: torch.distributed.pipelining waits for the last
        one of a batch only.
        """
        return [(call, one.line) for call, one in self._open.items()
                if self.log.has(call) and not one.is_send()]


class _OpenCall:
    __slots__ = ("reads", "writes", "tensors", "line")

    def __init__(self, reads, writes, tensors, line):
        self.reads = reads
        self.writes = writes
        self.tensors = tensors
        self.line = line

    def is_send(self):
        inputs, outputs = self.tensors
        return bool(inputs) and not outputs


def _spans(tensors):
    spans = [npunet_backend.span_of(tensor) for tensor in tensors]
    return [span for span in spans if span[0] != span[1]]


def _overlap(some, others):
    return any(begin < other_end and other_begin < end
               for begin, end in some for other_begin, other_end in others)


class Paused:
    """Tensor operations within are the recorder's own."""

    def __init__(self, recording):
        self._recording = recording

    def __enter__(self):
        self._recording.paused += 1

    def __exit__(self, *_):
        self._recording.paused -= 1

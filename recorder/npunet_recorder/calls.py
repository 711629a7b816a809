"""Calls of process groups: their records, and plausible answers to them."""

import npunet_backend

from npunet_recorder.errors import RecordingError, program_line
from npunet_recorder.recording import Paused

# Values of tensors up to this many elements are kept where they are known.
SMALL = 65536

TYPES = {
    "allreduce": "all_reduce",
    "allreduce_coalesced": "all_reduce",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "allgather": "all_gather",
    "_allgather_base": "all_gather",
    "allgather_coalesced": "all_gather",
    "allgather_into_tensor_coalesced": "all_gather",
    "gather": "gather",
    "scatter": "scatter",
    "reduce_scatter": "reduce_scatter",
    "_reduce_scatter_base": "reduce_scatter",
    "reduce_scatter_tensor_coalesced": "reduce_scatter",
    "alltoall": "all_to_all",
    "alltoall_base": "all_to_all",
    "send": "send",
    "recv": "recv",
    "barrier": "barrier",
}


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def call_record(name, group, members, own, inputs, outputs, options):
    """The record of a call: what the real run and the recording have in common.

    own: the rank's place in the group. `bytes` counts as comm_size of a Chakra node does: what the
    rank hands over, and of a scatter all that the root does.
    """
    kind = TYPES[name]
    record = {"type": kind, "function": name, "group": group}
    tensors = inputs or outputs
    if tensors:
        record["dtype"] = str(tensors[0].dtype)[len("torch."):]
    record["in"] = [list(tensor.shape) for tensor in inputs]
    record["out"] = [list(tensor.shape) for tensor in outputs]
    if kind == "scatter":
        size = bytes_of(outputs) * len(members)
    elif kind in ("recv", "barrier"):
        size = bytes_of(outputs)
    else:
        size = bytes_of(inputs)
    record["bytes"] = size
    if "reduce_op" in options:
        record["reduce_op"] = options["reduce_op"]
    if "root" in options:
        record["root"] = members[options["root"]]
    if "peer" in options:
        record["peer"] = members[options["peer"]]
        record["tag"] = options["tag"]
    if kind == "all_to_all":
        record["sizes"] = sent_bytes(name, len(members), inputs, options)
    return record


def sent_bytes(name, size, inputs, options):
    """Bytes to each member of an all-to-all."""
    if name == "alltoall":
        return [bytes_of([tensor]) for tensor in inputs]
    splits = options.get("in_splits")
    whole = bytes_of(inputs)
    if not splits:
        return [whole // size] * size
    rows = sum(splits)
    return [whole // rows * part if rows else 0 for part in splits]


def _known(tensors):
    return all(not npunet_backend.is_virtual(tensor) and tensor.numel() <= SMALL
               for tensor in tensors)


def _fill(target, source):
    target.copy_(source.reshape(target.shape) if source.numel() == target.numel() else source)


class Answers:
    """What another rank has said, as far as the order of the recordings allows.

    said: what this rank says in collectives; the others hear the first one, so that what they hear
    does not depend on how many run at a time. Keys: (members, which of the groups with these
    members, number of the call in the group, rank). messages: what is said from rank to rank.
    """

    def __init__(self, heard, messages):
        self.heard = heard
        self.said = {}
        self.messages = messages


class GroupObserver:
    """What the backend of one group tells of its calls, in a recording."""

    def __init__(self, recording, answers, number, members, key):
        self._recording = recording
        self._answers = answers
        self._number = number
        self._members = members
        self._own = members.index(recording.rank)
        self._key = key
        self._calls = 0
        self._expected = {}  # (message, tensor, line) by call

    def observe(self, name, inputs, outputs, options):
        recording = self._recording
        line = program_line()
        if name not in TYPES:
            raise RecordingError(
                "unsupported", "a receive from any rank: which one it is, only a real run tells",
                "Name the rank that sends")
        if "peer" in options and options["peer"] == self._own:
            verb = "sends to" if name == "send" else "receives from"
            raise RecordingError("hang", f"rank {recording.rank} {verb} itself, which never ends",
                                 "Name another rank, or leave the call out in a group of one")
        with Paused(recording):
            record = call_record(name, self._number, self._members, self._own, inputs, outputs,
                                 options)
            after = recording.calls_touching(inputs, outputs)
            if after:
                record["after"] = [call for call in after if recording.log.has(call)]
            if recording.stream:
                record["stream"] = recording.stream
            record["at"] = line
            call = recording.log.add_call(record)
            recording.begin_call(call, list(inputs), list(outputs), line)
            if "peer" in options:
                self._exchange(call, name, inputs, outputs, options, line)
            else:
                self._answer(name, inputs, outputs, options)
            self._calls += 1
        return call

    def wait(self, call):
        self._recording.log.add_wait(call, self._recording.stream)
        self._recording.end_call(call)
        expected = self._expected.pop(call, None)
        if expected is not None:
            message, tensor, line = expected
            heard = self._answers.messages.hear(message, line)
            with Paused(self._recording):
                if heard is not None and heard.numel() == tensor.numel():
                    tensor.copy_(heard.view(tensor.shape))
                else:
                    npunet_backend.make_virtual(tensor)

    def _exchange(self, call, name, inputs, outputs, options, line):
        """A message. Whole numbers may be sizes or objects: they are heard when it is waited for."""
        messages, peer, tag = self._answers.messages, self._members[options["peer"]], options["tag"]
        tensor = (inputs or outputs)[0]
        if tensor.is_floating_point() or tensor.numel() > SMALL:
            if name == "recv":
                npunet_backend.make_virtual(tensor)
        elif name == "send":
            messages.say(self._key, peer, tag, tensor, _known([tensor]))
        elif npunet_backend.is_virtual(tensor):
            messages.expect(self._key, peer, tag)
        else:
            self._expected[call] = (messages.expect(self._key, peer, tag), tensor, line)

    def _answer(self, name, inputs, outputs, options):
        kind = TYPES[name]
        if kind == "barrier":
            return
        if kind == "broadcast":
            self._answer_broadcast(outputs, options["root"])
        elif kind in ("all_reduce", "reduce"):
            pass  # keeps its own values
        elif not _known(inputs) or not inputs:
            for tensor in outputs:
                npunet_backend.make_virtual(tensor)
            if self._recording.shares is not None and inputs:
                self._recording.shares.set(outputs, self._recording.shares.of(inputs[0]))
        else:
            self._copy_own(name, inputs, outputs, options)

    def _copy_own(self, name, inputs, outputs, options):
        """Every other rank says what this one says, unless its recording is known."""
        size = len(self._members)
        if name == "allgather":
            for rank, target in enumerate(outputs):
                _fill(target, self._said_by(rank, inputs[0]))
        elif name in ("_allgather_base", "allgather_into_tensor_coalesced"):
            for place, (source, target) in enumerate(zip(inputs, outputs)):
                rows = target.view(size, source.numel())
                for rank in range(size):
                    rows[rank].copy_(self._said_by(rank, source, place).reshape(-1))
        elif name == "gather":
            for rank, target in enumerate(outputs):
                _fill(target, self._said_by(rank, inputs[0]))
        elif name in ("reduce_scatter", "scatter"):
            _fill(outputs[0], inputs[self._own])
        elif name in ("_reduce_scatter_base", "reduce_scatter_tensor_coalesced"):
            for source, target in zip(inputs, outputs):
                _fill(target, source.reshape(size, -1)[self._own])
        elif name == "alltoall_base" and inputs[0].shape == outputs[0].shape \
                and not options.get("in_splits"):
            # The part for itself: what a rank sends to its own place.
            own = inputs[0].reshape(size, -1)[self._own]
            outputs[0].copy_(own.repeat(size).view(outputs[0].shape))
        elif name == "alltoall" and all(one.shape == outputs[0].shape for one in outputs):
            for target in outputs:
                _fill(target, inputs[self._own])
        else:
            for tensor in outputs:
                npunet_backend.make_virtual(tensor)

    def _answer_broadcast(self, tensors, root):
        if not _known(tensors):
            return
        if root == self._own:
            for place, tensor in enumerate(tensors):
                self._answers.said[self._key + (self._calls, place, root)] = \
                    tensor.detach().clone()
            return
        for place, tensor in enumerate(tensors):
            heard = self._answers.heard.get(self._key + (self._calls, place, root))
            if heard is not None and heard.numel() == tensor.numel():
                tensor.copy_(heard.view(tensor.shape))

    def _said_by(self, rank, own, place=0):
        key = self._key + (self._calls, place, rank)
        if rank == self._own:
            self._answers.said[key] = own.detach().clone()
            return own
        heard = self._answers.heard.get(key)
        return heard if heard is not None and heard.shape == own.shape else own

"""Values that a program asks for and that do not exist, because nothing is computed."""

import npunet_backend
import torch

from npunet_recorder.errors import RecordingError, program_line


def scalar_answer(recording, tensor, comparison=False):
    """What .item(), bool() or a comparison gives where the value is unknown."""
    line = program_line()
    policy = recording.policy
    if comparison:
        recording.log.warn("compares tensors without values: taken as equal", line)
        return True
    value = policy.at_lines.get(line, policy.scalar)
    if line not in policy.at_lines:
        recording.log.warn(
            f"asks for a value that does not exist here: answered {value:g}; give another with "
            f"--value {line}=VALUE", line)
    if tensor.dtype == torch.bool:
        return bool(value)
    return float(value) if tensor.is_floating_point() else int(value)


def install(recording):
    """Lists and arrays of unknown values, which do not pass the dispatcher, and their texts."""
    text_of = torch._tensor_str._str

    def text(self, *args, **kwargs):
        if isinstance(self, torch.Tensor) and npunet_backend.is_virtual(self):
            return f"tensor(..., size={tuple(self.shape)}, dtype={self.dtype})"
        return text_of(self, *args, **kwargs)

    torch._tensor_str._str = text
    for name in ("tolist", "numpy", "__array__"):
        _guard(recording, name)


def _guard(recording, name):
    original = getattr(torch.Tensor, name)

    def guarded(self, *args, **kwargs):
        if npunet_backend.is_virtual(self):
            line = program_line()
            if not self.is_floating_point():
                raise RecordingError(
                    "unsupported", f"{name}() of whole numbers that do not exist here",
                    "Numbers of tokens an expert are equal with --assume balanced; what another "
                    "rank sends is unknown", line)
            recording.log.warn(f"{name}() of values that do not exist here: zeros", line)
        return original(self, *args, **kwargs)

    setattr(torch.Tensor, name, guarded)

"""Which share of a mask is set, as far as that follows from how the program made it.

A program that sends tokens to experts writes ones to a mask where each token is to go: how many
there are is known, though not where. With --assume balanced they are taken as spread evenly.
"""

from fractions import Fraction

import npunet_backend
import torch

_SAME = {"_to_copy", "clone", "copy_", "ne", "index_select", "detach"}
_BOTH = {"logical_and", "bitwise_and", "mul", "__and__", "logical_and_", "bitwise_and_"}


def _storage(tensor):
    return npunet_backend.storage_of(tensor)[0]


class Shares:
    def __init__(self):
        self._known = {}  # by storage: views of a mask have its share

    def of(self, tensor):
        return self._known.get(_storage(tensor)) if self._known else None

    def set(self, tensors, share):
        if share is not None:
            for tensor in tensors:
                self._known[_storage(tensor)] = share

    def follow(self, name, args, tensors, results):
        """What is known of results behind an operation on these tensors."""
        if name in ("scatter", "scatter_"):
            index = args[2]
            if args[0].numel() > 0:
                self.set(results, Fraction(min(index.numel(), args[0].numel()), args[0].numel()))
        elif self._known and name in _SAME:
            # In place the first tensor is what is written.
            self.set(results, self.of(tensors[-1] if name == "copy_" else tensors[0]))
        elif self._known and name in _BOTH:
            shares = [share for share in map(self.of, tensors) if share is not None]
            self.set(results, min(shares, default=None))

    def count(self, tensor):
        """How many elements are set, or None."""
        share = self.of(tensor)
        return None if share is None else round(tensor.numel() * share)

    def sums(self, tensor, form):
        """The sums of a mask over some dimensions, or None."""
        count = self.count(tensor)
        if count is None or form.numel() == 0 or form.dtype.is_floating_point:
            return None
        each, rest = divmod(count, form.numel())
        values = [each + (1 if i < rest else 0) for i in range(form.numel())]
        return torch.tensor(values, dtype=form.dtype).view(form.size)

"""torch.distributed.pipelining. Needs PyTorch 2.6."""

import unittest

import harness


@harness.later_torch()
class Pipelining(harness.Comparison):
    def test_gpipe(self):
        self.check(["pipelining.py"], 4)

    def test_1f1b(self):
        self.check(["pipelining.py", "--schedule", "Schedule1F1B"], 4)

    # Two stages a rank.
    def test_interleaved(self):
        self.check(["pipelining.py", "--schedule", "ScheduleInterleaved1F1B", "--micro-batches",
                    "4"], 4)


if __name__ == "__main__":
    unittest.main()

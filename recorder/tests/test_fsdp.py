"""Fully sharded data parallelism. Needs PyTorch 2.6."""

import unittest

import harness
from test_operations import operations_of

HIDDEN, BLOCKS, WORLD = 48, 3, 4


@harness.later_torch()
class Fsdp(harness.Comparison):
    def test_full_shard(self):
        self.check(["fsdp.py"], 4)

    def test_gathered_until_the_backward_pass(self):
        self.check(["fsdp.py", "--strategy", "SHARD_GRAD_OP"], 4)

    def test_hybrid_shard(self):
        self.check(["fsdp.py", "--strategy", "HYBRID_SHARD"], 4)

    def test_bf16(self):
        self.check(["fsdp.py", "--bf16"], 4)

    # A program for GPUs gathers and scatters on streams of its own, and the same bytes.
    def test_streams(self):
        calls = {}
        for program in (["fsdp.py"], ["fsdp.py", "--cuda"]):
            recorded = harness.record(program, WORLD, [1])
            self.assertEqual(recorded.returned, 0, recorded.failure)
            calls[program[-1]] = [one for one in recorded.logs[1] if "call" in one]
        real, streamed = calls["fsdp.py"], calls["--cuda"]
        self.assertEqual([(one["type"], one["bytes"]) for one in real],
                         [(one["type"], one["bytes"]) for one in streamed])
        for kind in ("all_gather", "reduce_scatter"):
            streams = {one.get("stream", 0) for one in streamed if one["type"] == kind}
            self.assertEqual(len(streams), 1)
            self.assertNotEqual(streams, {0})

    # fully_shard() of 2.6 needs GPUs: no real run on Gloo. In each of 2 steps the parameters of
    # both blocks are gathered in the forward and in the backward pass, those of the root once; all
    # gradients are scattered. Each first dimension is a multiple of 4.
    def test_fully_shard(self):
        recorded = harness.record(["fully_shard.py"], WORLD, [0])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        log = recorded.logs[0]
        calls = {kind: [one["bytes"] for one in log if one.get("type") == kind]
                 for kind in ("all_gather", "reduce_scatter")}
        block = 4 * (2 * HIDDEN + 2 * 4 * HIDDEN ** 2 + 5 * HIDDEN)
        root = 4 * (2 * 100 * HIDDEN + 100)
        self.assertEqual(calls["all_gather"],
                         2 * [size // WORLD for size in (root, block, block, block, block)])
        self.assertEqual(calls["reduce_scatter"], 2 * [block, block, root])
        # What is copied to where the gathering starts is on its stream.
        self.assertTrue([one for one in operations_of(log) if one.get("stream", 0) == 1])


if __name__ == "__main__":
    unittest.main()

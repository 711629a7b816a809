"""FLOPs, overlap and memory of recorded operations."""

import os
import sys
import unittest

import harness


def operations_of(log, **wanted):
    return [one for one in log
            if "op" in one and all(one.get(key) == value for key, value in wanted.items())]


class Operations(unittest.TestCase):
    # The same texts as of profiles (tests/generators/profiler/operator_times_test.cc).
    def test_inputs(self):
        import torch
        sys.path.insert(0, os.path.dirname(harness.RECORDER))
        from npunet_recorder.kernels import inputs_text
        matrix, scalar = torch.zeros(8, 4), torch.tensor(1.0)
        of = torch.ops.aten
        self.assertEqual(inputs_text(of.mul.Tensor, (matrix, scalar), {}), "float32[8,4]")
        self.assertEqual(inputs_text(of._foreach_add.List, ([matrix, scalar], [scalar] * 2), {}),
                         "([8,4],[]) ([],[])")
        self.assertEqual(inputs_text(of.sum.dim_IntList, (matrix, []), {}), "float32[8,4]")

    # Matrix products of a GPT: forward 2 x weights x tokens + 4 x batch x seq^2 x hidden a layer,
    # backward twice that. The weights are 12 hidden^2 a layer and vocabulary x hidden of the head.
    def test_flops_of_a_gpt(self):
        layers, hidden, vocabulary, seq, batch, steps = 3, 64, 192, 48, 2, 2
        recorded = harness.record(
            ["ddp_gpt.py", "--layers", str(layers), "--hidden", str(hidden), "--vocabulary",
             str(vocabulary), "--seq", str(seq), "--batch", str(batch), "--steps", str(steps)],
            8, [3])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        weights = layers * 12 * hidden ** 2 + vocabulary * hidden
        forward = 2 * weights * batch * seq + layers * 4 * batch * seq ** 2 * hidden
        flops = {phase: sum(one["flops"] for one in
                            operations_of(recorded.logs[3], kernel="matmul", phase=phase))
                 for phase in ("forward", "backward", "optimizer")}
        self.assertEqual(flops, {"forward": steps * forward, "backward": steps * 2 * forward,
                                 "optimizer": 0})

    # With recomputation the backward pass runs each layer forward, too; from PyTorch 2.1 on up to
    # the last product, whose result is not needed.
    def test_flops_of_recomputation(self):
        layers, hidden, vocabulary, seq, batch = 3, 64, 128, 32, 2
        recorded = harness.record(["ddp_gpt.py", "--layers", str(layers), "--steps", "1",
                                   "--recompute"], 8, [3])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        in_layers = batch * seq * layers * (2 * 12 * hidden ** 2 + 4 * seq * hidden)
        forward = in_layers + batch * seq * 2 * vocabulary * hidden
        found = [sum(one["flops"] for one in
                     operations_of(recorded.logs[3], kernel="matmul", phase=phase))
                 for phase in ("forward", "backward")]
        if harness.torch_version() >= (2, 1):
            in_layers -= batch * seq * layers * 2 * 4 * hidden ** 2
        self.assertEqual(found, [forward, 2 * forward + in_layers])

    # Autocast: products in bf16, parameters and the sums of their gradients in fp32.
    def test_autocast(self):
        recorded = harness.record(["ddp_gpt.py", "--steps", "1", "--autocast"], 2, [0])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        log = recorded.logs[0]
        self.assertEqual({one["dtype"] for one in operations_of(log, kernel="matmul")}, {"bf16"})
        self.assertEqual({one["dtype"] for one in log if one.get("type") == "all_reduce"},
                         {"float32"})

    # The same, split: each rank has 1 / tp of the products of its layers.
    def test_flops_of_a_tensor_parallel_stage(self):
        tp, pp, layers, hidden, vocabulary, seq, batch, micro = 2, 2, 4, 64, 128, 32, 2, 4
        recorded = harness.record(["megatron_style.py"], 8, [0, 7])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        for rank, head in ((0, 0), (7, vocabulary * hidden)):
            weights = (layers // pp * 12 * hidden ** 2 + head) // tp
            forward = 2 * weights * batch * seq \
                + layers // pp * 4 * batch * seq ** 2 * hidden // tp
            found = sum(one["flops"] for one in
                        operations_of(recorded.logs[rank], kernel="matmul"))
            self.assertEqual(found, 3 * micro * forward)

    def test_names_and_kernels(self):
        recorded = harness.record(["ddp_gpt.py", "--steps", "1"], 2, [0])
        log = recorded.logs[0]
        product = operations_of(log, op="addmm", module="module.blocks.1.qkv")
        self.assertEqual(len(product), 1)
        self.assertEqual(product[0]["kernel"], "matmul")
        self.assertEqual(product[0]["dtype"], "fp32")
        self.assertEqual(product[0]["shape"], [1, 64, 192, 64])
        self.assertTrue(operations_of(log, kernel="norm", phase="backward"))
        self.assertTrue(operations_of(log, kernel="softmax", phase="forward"))
        self.assertTrue(operations_of(log, kernel="embedding", phase="forward"))
        self.assertTrue(operations_of(log, phase="optimizer"))

    # Buckets of DistributedDataParallel go on beside the backward pass: the first all-reduce of
    # gradients comes before the last products of that pass, and what touches its bucket follows it.
    def test_buckets_overlap(self):
        recorded = harness.record(
            ["ddp_gpt.py", "--hidden", "256", "--layers", "6"], 2, [0])
        log = recorded.logs[0]
        # PyTorch makes buckets of the wanted size after the first step.
        log = log[[place for place, one in enumerate(log)
                   if one.get("phase") == "optimizer"][0]:]
        backward = [place for place, one in enumerate(log)
                    if one.get("phase") == "backward" and one.get("kernel") == "matmul"]
        reduced = [place for place, one in enumerate(log) if one.get("type") == "all_reduce"]
        self.assertGreater(len(reduced), 2)
        self.assertLess(reduced[0], backward[-1])
        first = log[reduced[0]]["call"]
        self.assertFalse([one for one in log if one.get("wait") == first])
        touching = [place for place, one in enumerate(log) if first in one.get("after", [])]
        self.assertEqual(len(touching), 1)
        self.assertGreater(touching[0], backward[-1])

    # A layer of a model of 175 billion parameters: 7.2 GB of weights, as much of gradients, twice
    # that of optimizer states.
    def test_memory_is_not_touched(self):
        recorded = harness.record(
            ["ddp_gpt.py", "--layers", "1", "--hidden", "12288", "--heads", "96", "--vocabulary",
             "51200", "--seq", "2048", "--batch", "1", "--steps", "1"], 8, [0])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        self.assertLess(recorded.peak_bytes, 2 << 30)

    # Operations beyond the fork of a stream are ordered by events only.
    def test_streams(self):
        recorded = harness.record(["streams.py"], 2, [0])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        log = recorded.logs[0]
        self.assertEqual([one.get("stream", 0) for one in operations_of(log, op="mm")], [0, 1, 0])
        events = [(key, one["stream"]) for one in log
                  for key in ("record_event", "wait_event") if key in one]
        self.assertEqual(events, [("record_event", 0), ("wait_event", 1), ("record_event", 1),
                                  ("wait_event", 0)])
        self.assertEqual([one["stream"] for one in log if "call" in one], [1])

    # 2 products of 2 x 2 x 4 x 128 x 128 x 64 forward, 5 backward; half with a causal mask.
    @harness.later_torch()
    def test_flops_of_attention(self):
        recorded = harness.record(["attention.py"], 2, [0])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        product = 2 * 2 * 4 * 128 * 128 * 64
        self.assertEqual([one["flops"] for one in recorded.logs[0]
                          if "attention" in one.get("op", "")],
                         [product, 5 * product // 2, 2 * product, 5 * product])

    # What follows synchronize() on any stream follows what was issued before it on any other.
    def test_synchronize(self):
        recorded = harness.record(["synchronize.py"], 2, [0])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        log = recorded.logs[0]
        place = [place for place, one in enumerate(log) if one.get("op") == "mm"]
        self.assertEqual([log[at].get("stream", 0) for at in place], [1, 0])
        events = [(key, one["stream"]) for one in log[place[0]:place[1]]
                  for key in ("record_event", "wait_event") if key in one]
        self.assertEqual(events, [("record_event", 1), ("wait_event", 0), ("record_event", 0),
                                  ("wait_event", 1)])


if __name__ == "__main__":
    unittest.main()

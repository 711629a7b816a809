"""The recording of each rank has the calls of a real run: operation, bytes, group, peer, order."""

import unittest

import harness


class Calls(harness.Comparison):
    def test_ddp_cnn(self):
        self.check(["ddp_cnn.py"], 4)

    def test_ddp_gpt(self):
        self.check(["ddp_gpt.py"], 4)

    def test_megatron_style(self):
        self.check(["megatron_style.py"], 8)

    def test_megatron_style_three_stages(self):
        self.check(["megatron_style.py", "--tp", "2", "--pp", "3", "--layers", "3"], 6)

    def test_zero(self):
        self.check(["zero.py"], 4)

    def test_experts(self):
        self.check(["experts.py"], 4)

    def test_ring(self):
        self.check(["ring.py"], 4)

    def test_handshake(self):
        self.check(["handshake.py"], 4)


if __name__ == "__main__":
    unittest.main()

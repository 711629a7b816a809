"""Values that do not exist, and what a rank learns from another."""

import unittest

import harness


def kinds(log):
    return [one["type"] for one in log if "call" in one]


class Values(unittest.TestCase):
    def test_item_and_branch(self):
        recorded = harness.record(["values.py"], 2)
        self.assertEqual(recorded.returned, 0, recorded.failure)
        log = recorded.logs[1]
        self.assertEqual(kinds(log).count("all_reduce"), 1)
        lines = [one["at"] for one in log if "warning" in one]
        self.assertEqual(lines, ["programs/values.py:8", "programs/values.py:9"])
        self.assertEqual(recorded.outputs[1].splitlines()[0], "0.0")

    def test_given_value(self):
        recorded = harness.record(["values.py"], 2, [0], values={"programs/values.py:9": 1})
        log = recorded.logs[0]
        self.assertEqual(kinds(log).count("all_reduce"), 3)
        self.assertEqual([one["at"] for one in log if "warning" in one],
                         ["programs/values.py:8"])

    # Objects of a rank that was recorded before are known.
    def test_objects(self):
        recorded = harness.record(["values.py"], 2)
        self.assertEqual(recorded.outputs[1].splitlines()[1], "['rank 0', 'rank 1']")

    # Ranks that are not asked for are run as well where these tell shapes, and leave no log.
    def test_messages(self):
        recorded = harness.record(["handshake.py"], 4, [2])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        self.assertEqual(list(recorded.logs), [2])
        received = [one["out"] for one in recorded.logs[2] if one.get("type") == "recv"]
        self.assertEqual(received, [[[2]], [[6, 8]], [[1]]])

    def test_balanced_experts(self):
        recorded = harness.record(["routed_experts.py"], 4, balanced=True)
        self.assertEqual(recorded.returned, 0, recorded.failure)
        for log in recorded.logs.values():
            exchange = [one for one in log if one.get("type") == "all_to_all"]
            self.assertEqual([one["sizes"] for one in exchange],
                             [[8] * 4, [16 * 32 * 4] * 4])

    def test_unknown_routing_is_refused(self):
        recorded = harness.record(["routed_experts.py"], 4, [0])
        self.assertEqual(recorded.failure["kind"], "unsupported")
        self.assertEqual(recorded.failure["at"], "programs/routed_experts.py:13")

    # What a mask selects is a share that the user gives.
    def test_masks(self):
        share = {"programs/masked.py:9": 0.25, "programs/masked.py:10": 0.5}
        recorded = harness.record(["masked.py"], 2, [0], values=share)
        self.assertEqual(recorded.returned, 0, recorded.failure)
        self.assertEqual([one["in"] for one in recorded.logs[0] if "call" in one],
                         [[[16, 32]], [[32, 32]]])
        recorded = harness.record(["masked.py"], 2, [0])
        self.assertEqual(recorded.failure["at"], "programs/masked.py:9")

    # Modules of absent extensions can be imported.
    def test_absent_extensions(self):
        recorded = harness.record(["extensions.py"], 2, [1])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        self.assertEqual(len([1 for one in recorded.logs[1] if one.get("kernel") == "norm"]), 1)

    # However a program names a GPU, tensors are where it wants them, and nothing is recorded.
    def test_devices(self):
        recorded = harness.record(["devices.py"], 2, [1])
        self.assertEqual(recorded.returned, 0, recorded.failure)
        self.assertEqual([one["op"] for one in recorded.logs[1] if "op" in one], ["randn", "mm"])
        self.assertEqual(recorded.outputs[1].splitlines()[-1], "True True")

    def test_marks(self):
        recorded = harness.record(["marked.py"], 2)
        for log in recorded.logs.values():
            self.assertEqual(kinds(log), ["all_reduce"])
            self.assertEqual([one["op"] for one in log if "op" in one], ["mm"])


if __name__ == "__main__":
    unittest.main()

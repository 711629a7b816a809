"""npunet record from end to end: traces that pass the static check and simulate."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import harness

PROGRAM = os.environ.get("NPUNET_PROGRAM", "npunet")
ROOT = os.path.dirname(os.path.dirname(harness.HERE))
FIDELITIES = ("analytical", "congestion-aware", "packet")


def npunet(*arguments):
    return subprocess.run([PROGRAM, *arguments], cwd=harness.HERE, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=harness.SECONDS)


class Program(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.out = os.path.join(self._folder.name, "out")

    def tearDown(self):
        self._folder.cleanup()

    def record(self, command, ranks, *more):
        return npunet("record", "--ranks", str(ranks), *more, "--output-dir", self.out, "--",
                      sys.executable, harness.program_path(command[0]), *command[1:])

    def check(self, command):
        result = self.record(command, 8, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["ranks"], told["recorded"], told["traces"]), (8, 8, 8))
        workload = os.path.join(self.out, "workload")
        groups = os.path.join(self.out, "comm_group.json")
        result = npunet("trace", "validate", "--strict", workload, "--comm-group", groups)
        self.assertEqual(result.returncode, 0, result.stdout)
        for fidelity in FIDELITIES:
            result = npunet("simulate", "--workload", workload, "--comm-group", groups,
                            "--network", os.path.join(ROOT, "configs/networks/ring-8.yml"),
                            "--system", os.path.join(ROOT, "configs/systems/a100.json"),
                            "--fidelity", fidelity, "--json", "--quiet")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertGreater(json.loads(result.stdout)["finish_ns"], 0)

    def test_ddp_cnn(self):
        self.check(["ddp_cnn.py"])

    def test_ddp_gpt(self):
        self.check(["ddp_gpt.py", "--steps", "1"])

    def test_megatron_style(self):
        self.check(["megatron_style.py"])

    def test_zero(self):
        self.check(["zero.py"])

    def test_experts(self):
        self.check(["experts.py"])

    def test_ring(self):
        self.check(["ring.py"])

    def fails(self, text, code, *expected):
        path = os.path.join(self._folder.name, "train.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import torch\nimport torch.distributed as dist\n"
                       "dist.init_process_group('gloo')\n" + text)
        result = self.record([path], 4)
        self.assertEqual(result.returncode, code, result.stderr)
        message = result.stderr.splitlines()[-1]
        for part in expected:
            self.assertIn(part, message)
        self.assertFalse(os.path.exists(self.out))

    def test_crash(self):
        self.fails("dist.all_reduce(torch.ones(3), group=7)\n", 2, "train.py:4", "rank 0")

    def test_hang(self):
        self.fails("dist.recv(torch.ones(3), dist.get_rank())\n", 3, "train.py:4", "rank 0",
                   "receives from itself")

    def test_unmatched(self):
        self.fails("if dist.get_rank() == 1:\n    dist.send(torch.randn(3), 2)\n", 2, "rank 1",
                   "sends 12 bytes")

    def test_listed_ranks(self):
        result = self.record(["ring.py"], 64, "--rank", "3,10-11")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(name for name in os.listdir(self.out) if name.endswith(".et")),
                         ["workload.10.et", "workload.11.et", "workload.3.et"])

    # Three products of [8, 4] and [4, 2] take the two times of the profile, 10 and 20 us, in order
    # and from the first again; the profile's linear stands around them, its sum has other sizes.
    def test_kernels(self):
        program = os.path.join(self._folder.name, "train.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write("import torch\nimport torch.distributed as dist\n"
                       "dist.init_process_group('nccl')\n"
                       "x = torch.randn(8, 4, device='cuda')\n"
                       "w = torch.randn(4, 2, device='cuda')\n"
                       "for _ in range(3):\n    y = x @ w\ny.sum()\n")
        profile = os.path.join(self._folder.name, "profile.json")

        def write(shapes):
            events = []
            for number, (name, begin, dims, kernel) in enumerate((
                    ("aten::linear", 0, [[8, 4], [4, 2]], None),
                    ("aten::mm", 1, [[8, 4], [4, 2]], 10), ("aten::mm", 50, [[8, 4], [4, 2]], 20),
                    ("aten::sum", 80, [[8, 3]], 5)), 1):
                inputs = {"Input Dims": dims, "Input type": ["float"] * len(dims)}
                events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1,
                               "ts": begin, "dur": 9 if begin else 30,
                               "args": {"External id": number, **(inputs if shapes else {})}})
                if kernel:
                    events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,
                                   "ts": 100 + number, "dur": kernel,
                                   "args": {"External id": number, "device": 0, "stream": 7}})
            with open(profile, "w", encoding="utf-8") as file:
                json.dump({"schemaVersion": 1, "traceEvents": events}, file)

        write(shapes=True)
        result = self.record([program], 2, "--kernels", profile, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)["kernels"]
        self.assertEqual((told["operations"], told["flops"], told["measured_ns"]),
                         (6, 6 * 128, 2 * 40000))
        self.assertEqual([(one["operator"], one["with_other_inputs"])
                          for one in told["unmatched"]],
                         [("aten::randn", False), ("aten::sum", True)])
        log = harness.read_log(os.path.join(self.out, "recording", "rank.1.jsonl"))
        self.assertEqual([one["inputs"] for one in log if one.get("op") == "mm"],
                         ["float32[8,4] float32[4,2]"] * 3)
        result = npunet("trace", "print", os.path.join(self.out, "workload.1.et"))
        self.assertEqual(re.findall(r"duration_ns +int64_val +(\d+)", result.stdout),
                         ["10000", "20000", "10000"])
        result = self.record([program], 2, "--kernels", profile)
        self.assertIn("6 of 12 tensor operations (50.0 %), with 82.8 % of the FLOPs", result.stdout)

        shutil.rmtree(self.out)
        write(shapes=False)
        result = self.record([program], 2, "--kernels", profile)
        self.assertEqual(result.returncode, 2)
        self.assertIn("record_shapes=True", result.stderr)
        self.assertFalse(os.path.exists(self.out))

    # Logs that npunet megatron reads, converts and finds to meet: as many calls and bytes as in the
    # traces. 8 ranks of tp 2, dp 2, pp 2, of which 6 are recorded.
    def test_megatron_logs(self):
        model = os.path.join(self._folder.name, "tiny.yml")
        with open(model, "w", encoding="utf-8") as file:
            file.write("name: tiny\nhidden: 64\nlayers: 4\nheads: 4\nffn: 256\nvocab: 128\n"
                       "seq: 32\n")
        plan = ["--distinct", "--tp", "2", "--pp", "2", "--megatron-logs", model]
        result = self.record(["megatron_style.py"], 8, *plan, "--micro-batches", "4",
                             "--global-batch-size", "16", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual(told["megatron_logs"], os.path.join(self.out, "megatron_logs"))
        result = npunet("megatron", "info", told["megatron_logs"], "--strict", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        known = json.loads(result.stdout)
        self.assertTrue(known["rendezvous"]["meets"])
        self.assertEqual(known["plan"]["dp"], 2)
        names = {"all_gather": ["all_gather_into_tensor"], "all_reduce": ["all_reduce"],
                 "reduce_scatter": ["reduce_scatter_tensor"], "barrier": ["barrier"],
                 "send": ["send", "isend"], "receive": ["recv", "irecv"]}
        for kind, totals in told["traffic"].items():
            found = [known["operations"].get(name) for name in names[kind]]
            for key, field in (("calls", "nodes"), ("bytes", "bytes")):
                self.assertEqual(sum(one[key]["sum"] for one in found if one), totals[field], kind)
        # The groups of the ends of two stages are those of pp, too.
        self.assertEqual({one["kind"] for one in known["groups"]}, {"tp", "dp", "pp", "world"})
        for arguments in (["convert", told["megatron_logs"], "--compute", "none", "--output-dir",
                           os.path.join(self._folder.name, "converted")],
                          ["permutations", told["megatron_logs"], "--all-ranks", "--weighted"]):
            result = npunet("megatron", *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
        result = npunet("trace", "validate", "--strict",
                        os.path.join(self._folder.name, "converted", "workload"), "--comm-group",
                        os.path.join(self._folder.name, "converted", "comm_group.json"))
        self.assertEqual(result.returncode, 0, result.stdout)
        # Without the option they go.
        self.assertEqual(self.record(["ring.py"], 2).returncode, 0)
        self.assertEqual(os.listdir(os.path.join(self.out, "megatron_logs"))
                         if os.path.exists(os.path.join(self.out, "megatron_logs")) else [], [])
        for options, expected in ((["--megatron-logs", model], "no --micro-batches"),
                                  ([*plan[:-1], "tinny"], "tinny"),
                                  (["--rank", "0-3", "--megatron-logs", model],
                                   "--megatron-logs: found a recording of some ranks"),
                                  (["--tp", "2"], "--distinct or --megatron-logs"),
                                  (["--distinct", "--ep", "2"], "--ep: found none of --tp"),
                                  (["--distinct", "--rank-order", "dp-tp-cp-ep-pp"],
                                   "--rank-order: found none of --tp"),
                                  (["--micro-batches", "2"], "no --megatron-logs")):
            more = ["--micro-batches", "4", "--global-batch-size", "16"] \
                if "tinny" in options else []
            result = self.record(["ring.py"], 8, *options, *more)
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertIn(expected, result.stderr)

    # The config.json of a model, and its folder, go with the logs. Without sizes of a plan all ranks
    # are replicas, of which --ep 2 makes pairs.
    def test_megatron_logs_of_a_config(self):
        model = os.path.join(self._folder.name, "tiny")
        os.makedirs(model)
        config = {"model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 4,
                  "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 128,
                  "vocab_size": 128, "max_position_embeddings": 32, "num_local_experts": 4,
                  "num_experts_per_tok": 2}
        with open(os.path.join(model, "config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        for name in (model, os.path.join(model, "config.json")):
            result = self.record(["ring.py"], 4, "--megatron-logs", name, "--micro-batches", "1",
                                 "--global-batch-size", "4", "--ep", "2", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            logs = json.loads(result.stdout)["megatron_logs"]
            with open(os.path.join(logs, "model.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file), config)
            result = npunet("megatron", "info", logs, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            told = json.loads(result.stdout)
            self.assertEqual((told["model"], told["plan"]["dp"], told["plan"]["ep"]), (name, 4, 2))

    # How many ranks are recorded at a time changes nothing.
    def test_jobs(self):
        found = []
        for jobs in ("1", "4"):
            out = os.path.join(self._folder.name, jobs)
            result = npunet("record", "--ranks", "6", "--jobs", jobs, "--output-dir", out, "--",
                            sys.executable, harness.program_path("values.py"))
            self.assertEqual(result.returncode, 0, result.stderr)
            files = {}
            for folder, _, names in os.walk(out):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        files[os.path.relpath(os.path.join(folder, name), out)] = file.read()
            found.append(files)
        self.assertEqual(sorted(found[0]), sorted(found[1]))
        for name, content in found[0].items():
            self.assertTrue(content == found[1][name], name)

    # The logs of an earlier recording go.
    def test_again(self):
        for ranks in (4, 2):
            self.assertEqual(self.record(["ring.py"], ranks).returncode, 0)
        self.assertEqual(sorted(os.listdir(os.path.join(self.out, "recording"))),
                         ["rank.0.jsonl", "rank.1.jsonl", "recording.json"])
        self.assertEqual(sorted(name for name in os.listdir(self.out) if name.endswith(".et")),
                         ["workload.0.et", "workload.1.et"])

    def test_bad_arguments(self):
        for arguments, expected in (
                (["--ranks", "4", "--rank", "4"], "--rank"),
                (["--ranks", "0"], "--npus"),
                (["--ranks", "4", "--value", "much"], "--value")):
            result = npunet("record", *arguments, "--output-dir", self.out, "--", sys.executable,
                            harness.program_path("ring.py"))
            self.assertEqual(result.returncode, 2)
            self.assertIn(expected, result.stderr)
        result = npunet("record", "--ranks", "4", "--output-dir", self.out, "--", "torchrun", "x")
        self.assertEqual(result.returncode, 2)
        self.assertIn("torchrun", result.stderr)


class Refusals(unittest.TestCase):
    """What npunet record says of options and commands before anything runs."""

    def refuse(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            result = npunet("record", "--ranks", "2", "--output-dir", out, *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(text, result.stderr)
            self.assertFalse(os.path.exists(out))

    def test_options(self):
        command = ("--", sys.executable, harness.program_path("ring.py"))
        self.refuse("--value: found 'nan'", "--value", "nan", *command)
        self.refuse("--value: found 'ring.py:3=inf'", "--value", "ring.py:3=inf", *command)
        self.refuse("--rank: found '2'", "--rank", "2", *command)
        self.refuse("--rank: found '1-0'", "--rank", "1-0", *command)

    def test_commands(self):
        program = harness.program_path("ring.py")
        self.refuse("a program in the option -c", "--", sys.executable, "-c", "print(1)")
        self.refuse("no program behind the interpreter", "--", sys.executable, "-W", "ignore")
        self.refuse("no such file", "--", sys.executable, "missing.py")
        self.refuse("Launchers such as torchrun", "--", "torchrun", program)
        self.refuse("not UTF-8", "--", sys.executable, program, b"\xff")


if __name__ == "__main__":
    unittest.main()

"""Records ranks of a program: python3 npunet_recorder JOB.json, as npunet record runs it.

The job: ranks (of the world), recorded (list of ranks), logs (folder for rank.N.jsonl),
command ([script, arguments...]), processes, timeout (s of processor time a rank), scalar, values,
balanced, distinct, as_rank and probes (distinct.Search), inputs (whether operations have the shapes
of their inputs), times (folder of times.N.json for clock.SimulatedClock; empty: none), backend
(folder of npunet_backend.so). PyTorch is loaded once; each rank is a fork. What goes wrong is in
logs/failure.json.
"""

import ctypes
import json
import os
import signal
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def end_with_parent():
    """When the process that started this one is killed, this one is, too."""
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


class Ranks:
    """The forks of the ranks that are being recorded.

    A rank that needs a message of another one ends, and starts again when that one has said more.
    Ranks that nothing else asks for may so be recorded, too.
    """

    def __init__(self, job):
        self._job = job
        self._running = {}
        self._recorded = set()
        self._said = {}  # how many messages a rank that waits has said

    def _output(self, rank):
        return os.path.join(self._job["logs"], f"rank.{rank}.output.txt")

    def _failure(self, rank):
        return os.path.join(self._job["logs"], f"failure.{rank}.json")

    def start(self, rank):
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            self._be(rank)
        self._running[process] = rank

    def _be(self, rank):
        from npunet_recorder.rank import record, write_failure
        code = 1
        try:
            end_with_parent()
            with open(self._output(rank), "wb", buffering=0) as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
            failure = record(rank, self._job)
            if failure is not None:
                write_failure(self._failure(rank), failure)
            else:
                code = 0
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)

    def _finish_one(self):
        """Waits for a rank; returns it and its failure, or None."""
        process, status = os.wait()
        rank = self._running.pop(process)
        if status == 0:
            if os.path.getsize(self._output(rank)) == 0:
                os.remove(self._output(rank))
            return rank, None
        if os.path.exists(self._failure(rank)):
            with open(self._failure(rank), encoding="utf-8") as file:
                failure = json.load(file)
            os.remove(self._failure(rank))
            return rank, failure
        number = os.waitstatus_to_exitcode(status)
        text = f"signal {-number} ended the program" if number < 0 else "the recorder ended"
        return rank, {"rank": rank, "kind": "crash", "message": text, "at": "", "remedy": ""}

    def _kill(self):
        for process in self._running:
            os.kill(process, signal.SIGKILL)
        while self._running:
            process, _ = os.wait()
            self._running.pop(process)

    def _can_go_on(self, failure):
        """Whether what a rank needs may have been said."""
        return failure["on"] in self._recorded \
            or self._said.get(failure["on"], 0) > failure["seen"]

    def record(self, ranks, processes=None):
        """Records these, but for those that have been; the first failure ends all and is returned."""
        processes = processes or self._job.get("processes", 1)
        waiting = [rank for rank in ranks if rank not in self._recorded]
        stopped = {}  # what each rank needs
        while waiting or self._running or stopped:
            while waiting and len(self._running) < processes:
                self.start(waiting.pop(0))
            if not self._running:
                return {**stopped[min(stopped)], "kind": "hang"}
            rank, failure = self._finish_one()
            if failure is None:
                self._recorded.add(rank)
            elif failure["kind"] == "needs":
                stopped[rank] = failure
                self._said[rank] = failure["said"]
                source = failure["on"]
                if source not in self._recorded and source not in stopped \
                        and source not in waiting and source not in self._running.values():
                    waiting.insert(0, source)
            else:
                self._kill()
                return failure
            for one in [one for one in sorted(stopped) if self._can_go_on(stopped[one])]:
                del stopped[one]
                waiting.append(one)
        return None

    def discard_others(self, ranks):
        """The logs of ranks that were recorded for what they say alone."""
        for rank in self._recorded.difference(ranks):
            for path in (os.path.join(self._job["logs"], f"rank.{rank}.jsonl"),
                         self._output(rank)):
                if os.path.exists(path):
                    os.remove(path)


def record_listed(ranks, job):
    """Records the ranks that the job lists; returns a failure, or None."""
    from npunet_recorder import summary
    recorded = sorted(job["recorded"])
    # What the first rank says to others is known when theirs are recorded.
    failure = ranks.record(recorded[:1], processes=1) or ranks.record(recorded[1:])
    if failure is None:
        ranks.discard_others(recorded)
        log_of = [-1] * job["ranks"]
        for rank in recorded:
            log_of[rank] = rank
        first = os.path.join(job["logs"], f"rank.{recorded[0]}.jsonl")
        summary.write(os.path.join(job["logs"], "recording.json"), job["ranks"], recorded, log_of,
                      summary.families_of(summary.read_groups(first)))
    return failure


def record_distinct(ranks, job):
    """Records one of the ranks that do the same; returns a failure, or None."""
    from npunet_recorder import distinct, summary
    recorded, log_of, families, failure = distinct.Search(ranks, job).run()
    if failure is None:
        ranks.discard_others(recorded)
        summary.write(os.path.join(job["logs"], "recording.json"), job["ranks"], recorded, log_of,
                      families)
    return failure


def load_later_parts():
    """What programs use of later versions than PyTorch 1.13, also through optimizers."""
    import torch
    if hasattr(torch.distributed, "init_device_mesh"):
        import torch._dynamo  # noqa: F401
        import torch.distributed.fsdp  # noqa: F401


def run(job):
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    job["first"] = 0 if job.get("distinct") else min(job["recorded"])
    try:
        import npunet_recorder.rank  # noqa: F401, loads PyTorch for all forks
        import torch.distributed.optim  # noqa: F401
        import torch.nn.parallel  # noqa: F401
        load_later_parts()
    except ImportError as error:
        return {"rank": -1, "kind": "missing", "message": str(error), "at": sys.executable,
                "remedy": ""}
    return (record_distinct if job.get("distinct") else record_listed)(Ranks(job), job)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    sys.path.insert(1, job["backend"])
    end_with_parent()
    failure = run(job)
    for name in os.listdir(job["logs"]):
        if name.endswith(".pickle"):
            os.remove(os.path.join(job["logs"], name))
    if failure is not None:
        with open(os.path.join(job["logs"], "failure.json"), "w", encoding="utf-8") as file:
            json.dump(failure, file)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

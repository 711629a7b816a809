"""A real run on Gloo whose calls are logged: real_run.py FOLDER RANKS SCRIPT [ARGUMENT...].

Each rank is a fork; its log is FOLDER/N.jsonl. Collectives that Gloo lacks are carried by those
that it has; the calls of the program are logged before that.
"""

import os
import signal
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d

from npunet_recorder import groups
from npunet_recorder.calls import call_record
from npunet_recorder.errors import program_line
from npunet_recorder.log import CallLog
from npunet_recorder.rank import run_program


class Observer:
    def __init__(self, log, number, members, own):
        self._log = log
        self._number = number
        self._members = members
        self._own = own

    def observe(self, name, inputs, outputs, options):
        line = program_line(sys._getframe(1))
        record = call_record(name, self._number, self._members, self._own, inputs, outputs,
                             options)
        record["at"] = line
        return self._log.add_call(record)

    def wait(self, call):
        self._log.add_wait(call, 0)


def run_rank(folder, rank, ranks, command):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(ranks), LOCAL_RANK=str(rank))
    log = CallLog(rank, ranks)
    factory = groups.GroupFactory(
        log, rank,
        lambda number, members, key: Observer(log, number, members, members.index(rank)),
        lambda store, own, size, timeout: dist.ProcessGroupGloo(store, own, size,
                                                                timeout=timeout))
    groups.install(factory, rank, ranks, alone=False)

    def rendezvous(_url, *_args, **_kwargs):
        yield dist.FileStore(os.path.join(folder, "store"), ranks), rank, ranks

    c10d.rendezvous = rendezvous
    run_program(command)
    for group in factory.made:
        group.finish_sends()
    log.write(os.path.join(folder, f"{rank}.jsonl"))


def main():
    folder, ranks, *command = sys.argv[1:]
    torch.set_num_threads(1)
    processes = []
    for rank in range(int(ranks)):
        process = os.fork()
        if process == 0:
            code = 1
            try:
                run_rank(folder, rank, int(ranks), command)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        processes.append(process)
    failed = 0
    while processes:
        process, status = os.wait()
        processes.remove(process)
        if status != 0 and not failed:
            failed = 1
            for other in processes:
                os.kill(other, signal.SIGKILL)
    return failed


if __name__ == "__main__":
    sys.exit(main())

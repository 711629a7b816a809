"""Runs a program as one rank of a world, in this process, and writes its log."""

import json
import os
import runpy
import signal
import sys
import traceback

from npunet_recorder import absent_modules, clock, cuda, groups, marks, program, sharding, values
from npunet_recorder.calls import Answers, GroupObserver
from npunet_recorder.errors import RecordingError, line_of_exception, program_line
from npunet_recorder.messages import Messages, Needs, pack, read_pickle, unpack, write_pickle
from npunet_recorder.operations import OperationRecorder, install_constructor
from npunet_recorder.recording import Policy, Recording

PORT = 29400


def _set_environment(rank, ranks):
    local_ranks = min(8, ranks)
    os.environ.update({
        "RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": str(rank % local_ranks),
        "LOCAL_WORLD_SIZE": str(local_ranks), "GROUP_RANK": str(rank // local_ranks),
        "NODE_RANK": str(rank // local_ranks), "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(PORT), "CUDA_DEVICE_MAX_CONNECTIONS": "1",
        "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(ranks),
        "OMPI_COMM_WORLD_LOCAL_RANK": str(rank % local_ranks),
    })


def run_program(command):
    """command: [script, arguments...] or ["-m", module, arguments...]."""
    if command[0] == "-m":
        sys.argv = command[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        sys.path.insert(0, os.path.dirname(os.path.abspath(command[0])))
        runpy.run_path(command[0], run_name="__main__")


def _limit_time(seconds):
    def give_up(_signal, frame):
        raise RecordingError("hang", f"no end after {seconds} s of processor time",
                             "If it only takes long, give more: --timeout", program_line(frame))

    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _run(recording, answers, command, seconds):
    def observer_of(number, members, key):
        return GroupObserver(recording, answers, number, members, key)

    factory = groups.GroupFactory(recording.log, recording.rank, observer_of)
    groups.install(factory, recording.rank, recording.ranks)
    absent_modules.install()
    cuda.install(recording)
    sharding.install(recording)
    program.install(recording)
    values.install(recording)
    install_constructor()
    marks.attach(recording)
    _limit_time(seconds)
    with cuda.devices(recording), OperationRecorder(recording):
        try:
            run_program(command)
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
    signal.setitimer(signal.ITIMER_PROF, 0)
    unfinished = recording.unfinished()
    if unfinished:
        raise RecordingError("unfinished", "a call is never waited for, and its result unused",
                             "Call wait() on the handle that it returns", unfinished[0][1])


def _failure(rank, error):
    """What went wrong, for the message."""
    if isinstance(error, RecordingError):
        failure = {"rank": rank, "kind": error.kind, "message": str(error), "at": error.line,
                   "remedy": error.remedy}
        if isinstance(error, Needs):
            failure.update(on=error.rank, seen=error.seen)
        return failure
    cause = error
    while cause is not None:
        if isinstance(cause, RecordingError):
            return _failure(rank, cause)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, SystemExit):
        text = f"the program ended with exit status {error.code}"
    else:
        text = traceback.format_exception_only(type(error), error)[-1].strip()
    return {"rank": rank, "kind": "crash", "message": text, "at": line_of_exception(error),
            "remedy": ""}


def record(rank, job):
    """Records a rank; returns what went wrong, or None. The job's first one is recorded alone."""
    _set_environment(rank, job["ranks"])
    os.environ.update(job.get("environment", {}))
    policy = Policy(job.get("scalar", 0), job.get("values", {}), job.get("balanced", False))
    recording = Recording(rank, job["ranks"], policy)
    recording.inputs = job.get("inputs", False)
    if job.get("times"):
        recording.log.clock = clock.read(os.path.join(job["times"], f"times.{rank}.json"), recording)
        clock.install(recording.log.clock)
    path = os.path.join(job["logs"], "said.pickle")
    first = rank == job["first"]
    heard = {} if first else {key: unpack(value) for key, value in read_pickle(path, {}).items()}
    answers = Answers(heard, Messages(job["logs"], rank))
    failure = None
    try:
        _run(recording, answers, list(job["command"]), job.get("timeout", 600))
    except BaseException as error:  # of the program, whatever it is
        if not isinstance(error, RecordingError):
            traceback.print_exc()
        failure = _failure(rank, error)
    if failure is not None and failure["kind"] != "needs":
        return failure
    if first:
        write_pickle(path, {key: pack(value) for key, value in answers.said.items()})
    said = answers.messages.write(complete=failure is None)
    if failure is None:
        recording.log.write(os.path.join(job["logs"], f"rank.{rank}.jsonl"))
    else:
        failure["said"] = said
    return failure


def write_failure(path, failure):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(failure, file)

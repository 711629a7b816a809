"""A clock that a program reads and a simulation has set: its timers show simulated times.

The program is recorded twice. Between the recordings a simulation tells when each operation and call
of the first one ends; in the second one the host and the streams are at those times. The host takes
no time of its own: it goes on at once where a real one would, and waits where a real one waits.
"""

import datetime
import json
import time
import timeit

PS_PER_S = 10 ** 12
PS_PER_NS = 10 ** 3
# time.time() when the program starts.
START = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc).timestamp()


class SimulatedClock:
    """Times are picoseconds from the start of the program.

    ends: when each operation and call of the recording ends, in their order, from its start.
    skipped: how many of the program come before these; they take no time.
    waits_for_operations: whether the host runs the operations itself, as programs without a GPU do.
    """

    def __init__(self, ends, skipped, waits_for_operations):
        self._ends = ends
        self._skipped = skipped
        self._waits_for_operations = waits_for_operations
        self._nodes = 0
        self._begin = 0  # when the recorded part starts
        self._streams = {}
        self._calls = {}
        self._events = {}
        self._latest = 0
        self.now = 0  # of the host

    def restart(self):
        """The recorded part starts."""
        self._begin = self.now
        self._streams.clear()
        self._calls.clear()

    def _next_end(self):
        """Of the operation or call that the program is at."""
        place = self._nodes - self._skipped
        self._nodes += 1
        end = self._begin + self._ends[place] if 0 <= place < len(self._ends) else self.now
        self._latest = max(self._latest, end)
        return end

    def _stream(self, stream):
        return self._streams.get(stream, 0)

    def operation(self, stream):
        self._streams[stream] = self._next_end()
        if self._waits_for_operations():
            self.host_waits(self._streams[stream])

    def call(self, number):
        self._calls[number] = self._next_end()

    def wait(self, number, stream, blocks_host):
        """blocks_host: the host waits, too, as on CPUs and in barriers."""
        end = self._calls.get(number, 0)
        self._streams[stream] = max(self._stream(stream), end)
        if blocks_host or self._waits_for_operations():
            self.host_waits(end)

    def record_event(self, event, stream):
        self._events[event] = max(self._stream(stream), self.now)

    def wait_event(self, event, stream):
        self._streams[stream] = max(self._stream(stream), self.event(event))

    def event(self, event):
        return self._events.get(event, 0)

    def host_waits(self, until):
        self.now = max(self.now, until)

    def host_waits_for_stream(self, stream):
        self.host_waits(self._stream(stream))

    def host_waits_for_all(self):
        self.host_waits(self._latest)


def read(path, recording):
    with open(path, encoding="utf-8") as file:
        times = json.load(file)
    return SimulatedClock(times["ends"], times["skipped"], lambda: not recording.on_cuda)


def install(clock):
    """The functions of `time` that programs measure with are the clock's."""
    def seconds(start):
        return lambda: start + clock.now / PS_PER_S

    def nanoseconds(start):
        return lambda: int(start) * 10 ** 9 + clock.now // PS_PER_NS

    for name, start in (("time", START), ("monotonic", 0), ("perf_counter", 0)):
        setattr(time, name, seconds(start))
        setattr(time, f"{name}_ns", nanoseconds(start))
    timeit.default_timer = time.perf_counter

    def sleep(duration):
        clock.now += round(duration * PS_PER_S)

    time.sleep = sleep

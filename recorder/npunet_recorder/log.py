"""The log of one rank: JSON, one record a line. docs/record.md describes the records."""

import json

VERSION = 1


class CallLog:
    """Records in program order. With marks only those between start() and stop() count."""

    def __init__(self, rank, ranks):
        self.rank = rank
        self.ranks = ranks
        self.groups = []
        self.records = []
        self.warnings = []
        self.active = True
        self.clock = None  # a SimulatedClock that what is recorded moves
        self._barriers = set()
        self._nodes = 0  # operations and calls so far
        self._skipped = 0  # of these before the recorded part
        self._calls = 0
        self._first_call = 0

    def start(self):
        self.records.clear()
        self._first_call = self._calls
        self._skipped = self._nodes
        self.active = True
        if self.clock:
            self.clock.restart()

    def stop(self):
        self.active = False

    def add_group(self, number, members, backend):
        record = {"group": number, "ranks": members, "backend": backend}
        self.groups.append(json.dumps(record))

    def add_call(self, record):
        """Appends a call and returns its number."""
        number = self._calls
        self._calls += 1
        if self.active:
            self.records.append(json.dumps({"call": number, **record}))
            self._nodes += 1
            if self.clock:
                self.clock.call(number)
                if record["type"] == "barrier":
                    self._barriers.add(number)
        return number

    def add_wait(self, call, stream, implied=False):
        """implied: the program does not wait itself, but reads what the call gives."""
        if self.active and call >= self._first_call:
            more = f', "stream": {stream}' if stream else ""
            more += ', "implied": true' if implied else ""
            self.records.append(f'{{"wait": {call}{more}}}')
            if self.clock:
                self.clock.wait(call, stream, implied or call in self._barriers)

    def has(self, call):
        return call >= self._first_call

    def add_operation(self, text, stream):
        if self.active:
            self.records.append(text)
            self._nodes += 1
            if self.clock:
                self.clock.operation(stream)

    def add_event(self, kind, event, stream):
        """kind: "record_event" or "wait_event"."""
        if self.active:
            self.records.append(f'{{"{kind}": {event}, "stream": {stream}}}')
            if self.clock:
                getattr(self.clock, kind)(event, stream)

    def warn(self, message, line):
        if (message, line) not in self.warnings:
            self.warnings.append((message, line))

    def write(self, path):
        begin = {"format": "npunet-record", "version": VERSION, "rank": self.rank,
                 "ranks": self.ranks}
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(begin) + "\n")
            for line in self.groups:
                file.write(line + "\n")
            for line in self.records:
                file.write(line + "\n")
            for message, line in self.warnings:
                file.write(json.dumps({"warning": message, "at": line}) + "\n")
            end = {"end": len(self.records)}
            if self._skipped:
                end["skipped"] = self._skipped
            file.write(json.dumps(end) + "\n")

"""The part of a program that is recorded: all of it, or what lies between two marks."""

_current = None


def attach(recording_of_rank):
    """Makes this recording the one that the marks of the program concern."""
    global _current
    _current = recording_of_rank


def recording():
    """Whether this process is being recorded."""
    return _current is not None


def start():
    if _current is not None:
        _current.log.start()


def stop():
    if _current is not None:
        _current.log.stop()

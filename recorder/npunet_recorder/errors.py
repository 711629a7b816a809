"""What goes wrong in a recording, and where in the program."""

import os
import sys
import sysconfig

import torch

_torch_folder = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_own_folder = os.path.dirname(os.path.abspath(__file__)) + os.sep
_library_folder = sysconfig.get_paths()["stdlib"] + os.sep


class RecordingError(Exception):
    """Ends the recording of a rank with one message.

    kind: "hang", "unfinished" or "unsupported"; remedy: what the user can do.
    """

    def __init__(self, kind, message, remedy="", line=None):
        super().__init__(message)
        self.kind = kind
        self.remedy = remedy
        self.line = line or program_line()


def _of_program(filename):
    return not filename.startswith((_torch_folder, _own_folder, _library_folder, "<"))


def shown(filename, number):
    return f"{os.path.relpath(filename)}:{number}"


def program_line(frame=None):
    """The innermost line of the program that is being executed: "train.py:57"; "" for none."""
    frame = frame or sys._getframe(1)
    while frame is not None:
        if _of_program(frame.f_code.co_filename):
            return shown(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return ""


def line_of_exception(error):
    """The innermost line of the program in the exception's traceback."""
    line = ""
    trace = error.__traceback__
    while trace is not None:
        if _of_program(trace.tb_frame.f_code.co_filename):
            line = shown(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return line

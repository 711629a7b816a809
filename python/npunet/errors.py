"""What the program's exit codes become."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npunet.results import Results


class NpunetError(Exception):
    """The program ended with an exit code other than 0; str() is its message.

    `exit_code`: of the program, negative where a signal killed it. `messages`: all that it wrote to
    stderr, a line each. `partial`: the results up to where the run stopped, or None.
    """

    def __init__(self, message: str, exit_code: int, messages: list[str]):
        super().__init__(message)
        self.exit_code = exit_code
        self.messages = messages
        self.partial: Results | None = None


class InputError(NpunetError, ValueError):
    """Exit code 2, invalid input: the message names file, place, found, expected and a remedy."""


class StallError(NpunetError):
    """Exit code 3: the simulation stalled, or a limit (`max_sim_time`, `max_wall_time`) ended it."""


class SystemFailure(NpunetError, OSError):
    """Exit code 4: disk full, no permission, out of memory."""


class InternalError(NpunetError):
    """Exit code 1, an error of npunet itself, or a signal killed the program."""


class ProgramNotFound(FileNotFoundError):
    """There is no program npunet in any of the places where it is looked for."""


def error_of(exit_code: int, messages: list[str]) -> NpunetError:
    """The exception for an exit code other than 0."""
    of_code = {2: InputError, 3: StallError, 4: SystemFailure}
    prefix = "npunet: "
    # The message of an error is the last line that begins with the prefix, and what follows it.
    begins = [i for i, line in enumerate(messages) if line.startswith(prefix)]
    message = "\n".join(messages[begins[-1]:] if begins else messages)
    message = message.removeprefix(prefix) or f"npunet ended with exit code {exit_code}"
    return of_code.get(exit_code, InternalError)(message, exit_code, messages)

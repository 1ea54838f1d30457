"""The one tree of domain errors; each carries a code for programs and a remedy for people.

The LSP layer maps these to JSON-RPC codes in one place, and the command line to exit codes.
"""

from __future__ import annotations


class GreenlineError(Exception):
    """Something went wrong that the user can read about and act on."""

    code = "failed"

    def __init__(self, message: str, *, remedy: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        """One sentence that names the offending input."""
        self.remedy = remedy
        """One sentence that says what to do, or empty."""
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class InvalidInput(GreenlineError):
    """A parameter, argument or file that was handed in cannot be used."""

    code = "invalidInput"


class NotFound(GreenlineError):
    """An id that was handed in names nothing."""

    code = "notFound"


class OutsideWorkspace(GreenlineError):
    """A path or URI lies in no root of the workspace."""

    code = "outsideWorkspace"


class NoModel(GreenlineError):
    """The request needs a language model and none is configured."""

    code = "noModel"


class EditRejected(GreenlineError):
    """An edit cannot be applied to the text that it names; nothing was changed."""

    code = "malformed"

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        code: str | None = None,
        lines: tuple[int, ...] = (),
        path: str | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy, code=code)
        self.lines = lines
        """Candidate lines of the file, 1-based."""
        self.path = path
        """The path as the edit names it, or None where no file is concerned."""


class SandboxUnavailable(GreenlineError):
    """No sandbox can be had; nothing of the project was run."""

    code = "sandboxUnavailable"


class Cancelled(GreenlineError):
    """The user or the client cancelled the work."""

    code = "cancelled"


class WrongState(GreenlineError):
    """The run or proposal is in a state in which the request makes no sense."""

    code = "wrongState"


class ModelFailed(GreenlineError):
    """The language model could not be reached, refused, or answered with nothing usable."""

    code = "modelFailed"

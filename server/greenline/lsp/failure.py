"""Domain errors as JSON-RPC errors: the one place that knows the codes."""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from greenline.core.error import GreenlineError

_log = logging.getLogger(__name__)

_REQUEST_FAILED = -32803
_INTERNAL = -32603
_INVALID_PARAMS = -32602
_CANCELLED = -32800

_REMEDY = "docs/protocol.md lists what can be asked for."
_NAMES = {_INVALID_PARAMS: "invalidParams", -32601: "unknownMethod", _CANCELLED: "cancelled"}
_CODES = {
    "invalidInput": _INVALID_PARAMS,
    "notFound": _INVALID_PARAMS,
    "outsideWorkspace": _INVALID_PARAMS,
    "cancelled": _CANCELLED,
    "internal": _INTERNAL,
}


def to_response_error(error: BaseException) -> types.ResponseError:
    """Return what the client is told: one sentence, a code and a remedy; never a traceback."""
    if isinstance(error, GreenlineError):
        return response_error(_CODES.get(error.code, _REQUEST_FAILED), str(error), error.code, error.remedy)
    if isinstance(error, JsonRpcException):
        return types.ResponseError(code=error.code, message=error.message, data=_coded(error))
    _log.error("unexpected error", exc_info=error)
    return response_error(
        _INTERNAL,
        f"Unexpected {type(error).__name__}: {error}",
        "internal",
        "The server goes on; the details are in its log on standard error.",
    )


def response_error(number: int, message: str, code: str, remedy: str) -> types.ResponseError:
    """Return an error with the two fields that programs and people need."""
    return types.ResponseError(code=number, message=message, data={"code": code, "remedy": remedy})


def _coded(error: JsonRpcException) -> dict[str, object]:
    """Return the library's data without a traceback, and with a code and a remedy."""
    given = error.data if isinstance(error.data, dict) else {}
    data = {"code": _NAMES.get(error.code, "internal"), "remedy": _REMEDY, **given}
    data.pop("traceback", None)
    return data

"""The one argument of a command, as a typed value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import cattrs

from greenline.core.error import InvalidInput
from greenline.lsp.hardened import as_sent

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer

T = TypeVar("T")


def argument_of(ls: GreenlineServer, cls: type[T], arguments: tuple[Any, ...]) -> T:
    """Return the only argument of a command; raises `InvalidInput` where it does not fit."""
    if len(arguments) > 1:
        raise InvalidInput(f"The command got {len(arguments)} arguments.", remedy="Give one object.")
    try:
        return ls.converter.structure(arguments[0] if arguments else {}, cls)
    except (cattrs.BaseValidationError, TypeError, ValueError, AttributeError, KeyError) as error:
        detail = "; ".join(map(as_sent, cattrs.transform_error(error, path="arguments[0]")))
        raise InvalidInput(
            f"The command's argument cannot be used: {detail}.",
            remedy="docs/protocol.md lists each command's argument.",
        ) from error

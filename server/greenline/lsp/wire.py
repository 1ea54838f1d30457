"""How `agent/*` messages are read and written beside LSP's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast, get_args, get_origin

import attrs
import cattrs
from cattrs.cols import homogenous_tuple_structure_factory
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from pygls.protocol import default_converter

from greenline.core.wire import camel
from greenline.lsp import protocol


@attrs.define
class _Response:
    id: int | str | None
    result: Any
    jsonrpc: str = "2.0"


@cache
def message_type(method: str) -> type | None:
    """Return the message class of one of our requests, or None; made when it is first asked for."""
    if method not in protocol.REQUESTS:
        return None
    params, _ = protocol.REQUESTS[method]
    needed = any(field.default is attrs.NOTHING for field in attrs.fields(params))
    return attrs.make_class(
        f"{params.__name__}Request",
        {
            "id": attrs.field(type=cast(type, int | str)),
            "method": attrs.field(type=str),
            # JSON-RPC lets a client leave out params where none is needed.
            "params": attrs.field(type=params) if needed else attrs.field(type=params, factory=params),
            "jsonrpc": attrs.field(type=str, default="2.0"),
        },
    )


RESPONSE = _Response


def make_converter() -> cattrs.Converter:
    """Return pygls's converter, taught our own classes: camelCase keys, absent where None."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]

    def names(cls: type) -> dict[str, Any]:
        fields = attrs.fields(attrs.resolve_types(cls))
        return {f.name: override(rename=camel(f.name), omit_if_default=f.default is None) for f in fields}

    def ours(cls: Any) -> bool:
        return attrs.has(cls) and getattr(cls, "__module__", "").startswith("greenline.")

    converter.register_structure_hook_factory(
        ours, lambda cls: _of_object(make_dict_structure_fn(cls, converter, **names(cls)))
    )
    converter.register_unstructure_hook_factory(
        ours, lambda cls: make_dict_unstructure_fn(cls, converter, **names(cls))
    )
    converter.register_structure_hook_factory(_is_list, lambda cls: _of_list(converter, cls))
    converter.register_structure_hook(str, _string)
    converter.register_unstructure_hook(tuple, lambda value: [converter.unstructure(v) for v in value])
    return converter


def _of_object(structure: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Refuse what is no object, where the library would take an empty list for one without any key."""

    def checked(value: Any, cls: Any) -> Any:
        if value is not None and not isinstance(value, Mapping):
            raise TypeError(f"expected an object, found {type(value).__name__}")
        return structure({} if value is None else value, cls)

    return checked


def _is_list(cls: Any) -> bool:
    return get_origin(cls) is tuple and get_args(cls)[1:] == (...,)


def _of_list(converter: cattrs.Converter, cls: Any) -> Callable[[Any, Any], Any]:
    """Refuse what is no list, where the library would take a text for a list of its letters."""
    structure = homogenous_tuple_structure_factory(cls, converter)

    def checked(value: Any, asked: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise TypeError(f"expected a list, found {type(value).__name__}")
        return structure(value, asked)

    return checked


def _string(value: Any, _: type) -> str:
    """Refuse what is no string, where the library would turn anything into one."""
    if not isinstance(value, str):
        raise TypeError(f"expected a string, found {type(value).__name__}")
    return value

"""Domain values ↔ plain JSON values with camelCase keys: for the journal, the worker pipe and the wire."""

from __future__ import annotations

import base64
from typing import Any, TypeVar

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

T = TypeVar("T")


def camel(name: str) -> str:
    """Return `snake_case` as `camelCase`."""
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def _make() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=False)

    def names(cls: type) -> dict[str, Any]:
        return {f.name: override(rename=camel(f.name)) for f in attrs.fields(attrs.resolve_types(cls))}

    converter.register_structure_hook_factory(
        attrs.has, lambda cls: make_dict_structure_fn(cls, converter, **names(cls))
    )
    converter.register_unstructure_hook_factory(
        attrs.has, lambda cls: make_dict_unstructure_fn(cls, converter, **names(cls))
    )
    converter.register_unstructure_hook(bytes, lambda b: base64.b64encode(b).decode("ascii"))
    converter.register_structure_hook(bytes, lambda v, _: base64.b64decode(v))
    converter.register_unstructure_hook(tuple, lambda v: [converter.unstructure(x) for x in v])
    return converter


_converter = _make()


def to_json(value: object) -> Any:
    """Return `value` (attrs, enums, tuples, dicts) as JSON values."""
    return _converter.unstructure(value)


def from_json(data: Any, cls: type[T]) -> T:
    """Return an instance of `cls` built from JSON values; raises a `cattrs` error where they do not fit."""
    return _converter.structure(data, cls)

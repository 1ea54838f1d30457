"""Turns the text of an edit into an EditSet: whole or not at all, and never outside the roots."""

from __future__ import annotations

from greenline.core.edit import EditSet
from greenline.core.error import EditRejected, GreenlineError
from greenline.edit.contradiction import Claims
from greenline.edit.format import EditFormat, read
from greenline.edit.path import writable_path
from greenline.edit.renaming import untangled
from greenline.edit.staging import Read, Staging
from greenline.edit.unified import parse

__all__ = ["Read", "Staging", "edit_set_from_diff", "edit_set_from_text", "writable_path"]


def edit_set_from_text(
    text: str,
    staging: Staging,
    path: str | None = None,
    given: EditFormat | None = None,
) -> EditSet:
    """Return what an edit in any format does to the files over an empty `staging`; nothing is written.

    `path` names the file where the text does not; `given` overrides the recognised format.
    Raises `EditRejected` or `OutsideWorkspace`, and then no part of the edit counts.
    """
    operations = read(text, path, staging.exists, given)
    if not operations:
        raise EditRejected("The edit asks for nothing.", remedy="Give at least one change.")
    claims = Claims(staging.path_of)
    for operation in untangled(operations, staging):
        claims.take(operation)
        staging.apply(operation)
    return staging.edit_set()


def edit_set_from_diff(
    diff: str, read_bytes: Read, root: str, leaves_out: type[GreenlineError] | tuple[()] = ()
) -> EditSet:
    """Return what a unified diff does to the files below `root`; nothing is written.

    A file is left out, with the one that it is moved from or to, where reading it raises `leaves_out`.
    Raises `EditRejected` or `OutsideWorkspace`, and then no part of the diff counts.
    """
    staging = Staging(read_bytes, root, lands=False)
    for patch in untangled(parse(diff), staging):
        try:
            staging.apply(patch)
        except leaves_out:
            continue
    return staging.edit_set()

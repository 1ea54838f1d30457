"""Creates and deletes files for clients that cannot do so themselves; only an accept leads here."""

from __future__ import annotations

import os
from pathlib import Path

from greenline.core.error import EditRejected
from greenline.lsp.review import FileEdit
from greenline.workspace.encoding import TextFile, encode


def write_own(edit: FileEdit) -> str:
    """Create or delete one file on the disk, never over something that is there; return what failed."""
    path = Path(edit.path)
    data = _bytes_of(edit)
    try:
        if edit.op == "delete":
            path.unlink()
            return ""
        path.parent.mkdir(parents=True, exist_ok=True)
        # Nobody else reads a file before it has its mode.
        own = 0o666 if edit.mode is None else 0o600
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, own)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        if edit.mode is not None:
            path.chmod(edit.mode)
    except OSError as error:
        return (
            f"{edit.path} could not be {'deleted' if edit.op == 'delete' else 'created'}: {error.strerror}."
        )
    return ""


def _bytes_of(edit: FileEdit) -> bytes:
    """Return what a new file holds: in its form, or else in UTF-8, which holds everything."""
    try:
        return encode(TextFile.in_form(edit.form, edit.new_text))
    except EditRejected:
        return edit.new_text.encode("utf-8", "surrogatepass")

"""Creates and deletes files for clients that cannot do so themselves; only an accept leads here."""

from __future__ import annotations

import os
from pathlib import Path

from greenline.edit.restore import Content
from greenline.lsp.review import FileEdit
from greenline.workspace.encoding import TextFile


def write_own(edit: FileEdit) -> str:
    """Create or delete one file on the disk, never over something that is there; return what failed."""
    path = Path(edit.path)
    data = Content.of_text(edit.new_text, TextFile.in_form(edit.form)).data
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

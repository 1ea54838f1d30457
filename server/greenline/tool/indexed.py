"""What the tools over the index share: paths as the model writes them, texts as they were indexed."""

from __future__ import annotations

import os
from collections.abc import Callable

from greenline.core.error import GreenlineError, NotFound
from greenline.index.chunk import File
from greenline.index.live.reader import IndexReader
from greenline.index.retrieve.pack import text_on_disk
from greenline.index.source import from_buffer
from greenline.index.store import IndexStore
from greenline.tool.definition import ToolContext
from greenline.workspace.encoding import decode


def reader_of(context: ToolContext) -> IndexReader:
    """Return the run's index; raises where there is none."""
    if context.index is None:
        raise GreenlineError(
            "There is no index here.", remedy="Use search_files and get_file_summary.", code="notAvailable"
        )
    return context.index


def store_of(context: ToolContext) -> IndexStore:
    """Return the run's index, open."""
    return reader_of(context).store(context.cancellation)


def full_path(file: File) -> str:
    """Return an indexed file's absolute path."""
    return os.path.join(file.root, file.path)  # noqa: PTH118


def may_show(context: ToolContext, file: File) -> bool:
    """Return whether a model may see a file: of this run's folders, and let through by the gate."""
    return file.root in context.roots and context.gate.may_prompt(full_path(file))


def indexed_file(context: ToolContext, path: str) -> File:
    """Return an indexed file by the model's path; raises `NotFound`, `FileWithheld`, `OutsideWorkspace`."""
    located = context.locate(path)
    file = store_of(context).file(located.root, located.relative)
    if file is None:
        raise NotFound(f"{path} is not in the index.", remedy="Read it with read_file.")
    return file


def text_reader(context: ToolContext) -> Callable[[File], bytes | None]:
    """Return what gives a file's text where it is what was indexed: the open buffer's, else the disk's."""

    def read(file: File) -> bytes | None:
        data = context.snapshot.read_bytes(full_path(file)) if file.from_buffer else None
        if data is None:
            return text_on_disk(file)
        source = from_buffer(decode(data).text)
        return source.text if source.content_hash == file.content_hash else None

    return read


def staged_note(context: ToolContext) -> str:
    """Return a line that says what an index cannot know, where something is staged."""
    if not context.staging.edit_set().changes:
        return ""
    return "\n(The index shows the files without your staged edits; their lines may have moved.)"

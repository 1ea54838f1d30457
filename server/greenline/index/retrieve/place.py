"""Places that a query names: frames of a stack trace, a file with a line, a file."""

from __future__ import annotations

from greenline.index.chunk import Chunk
from greenline.index.retrieve.file_table import FileTable
from greenline.index.retrieve.query import Mention, Query
from greenline.index.store import IndexStore

_MAX_FILES_OF_MENTION = 3
"""A name that more files share names none of them."""


def places_named(store: IndexStore, query: Query, files: FileTable) -> list[tuple[int, Chunk]]:
    """Return the files and chunks that the query's mentions lead to, in the order of the mentions."""
    found: list[tuple[int, Chunk]] = []
    known: set[int] = set()
    for mention in query.mentions:
        numbers = _files_of(mention, files)
        if len(numbers) > _MAX_FILES_OF_MENTION:
            continue
        for number in numbers:
            chunk = _chunk(store, files.ids[number], mention)
            if chunk is not None and chunk.id not in known:
                known.add(chunk.id)
                found.append((number, chunk))
    return found


def _files_of(mention: Mention, files: FileTable) -> list[int]:
    """Return the files whose path is the mention's, or ends in it, or which it ends in (an absolute path)."""
    path = mention.path
    while path.startswith(("./", "../")):
        path = path.partition("/")[2]
    exact = list(files.by_path.get(path, ())) or [
        i for i, root in enumerate(files.roots) if path == f"{root}/{files.paths[i]}"
    ]
    if exact:
        return exact
    longest: list[int] = []
    length = 0
    name = path.rpartition("/")[2]
    for known, numbers in files.by_path.items():
        if known.rpartition("/")[2] != name:
            continue
        if known.endswith(f"/{path}"):
            longest.extend(numbers)
        elif path.endswith(f"/{known}") and len(known) >= length:
            # Another machine's absolute path: the longest tail that is ours is meant.
            if len(known) > length:
                longest.clear()
            longest.extend(numbers)
            length = len(known)
    return longest


def _chunk(store: IndexStore, file_id: int, mention: Mention) -> Chunk | None:
    if mention.line is not None:
        chunk = store.chunk_at(file_id, mention.line)
        if chunk is not None:
            return chunk
    chunks = store.chunks_of(file_id)
    return chunks[0] if chunks else None

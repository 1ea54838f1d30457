"""Images that come with a request are checked by what they hold, and are kept as long as their run."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from greenline.core.error import InvalidInput
from greenline.core.task import Task, TaskContext
from greenline.journal.blob import BlobStore
from greenline.journal.quota import sweep
from greenline.journal.store import SqliteJournal
from greenline.lsp.attachment import MAX_BYTES, keep_attachments
from greenline.lsp.protocol import AttachmentParams

PNG = b"\x89PNG\r\n\x1a\n" + b"rest"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    journal = SqliteJournal(tmp_path / "journal.db")
    yield journal
    journal.close()


def image(data: bytes, name: str = "a.png") -> AttachmentParams:
    return AttachmentParams(name, base64.b64encode(data).decode())


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89a rest", "image/gif"),
        (b"RIFF....WEBPrest", "image/webp"),
    ],
)
def test_an_image_is_what_it_holds_and_not_what_it_is_called(
    journal: SqliteJournal, data: bytes, kind: str
) -> None:
    (kept,) = keep_attachments(journal, [image(data, "a.txt")])

    assert (kept.name, kept.media_type) == ("a.txt", kind)
    assert journal.content(kept.content) == data


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([image(b"<svg onload='x'/>", "a.svg")], "a.svg is no image"),
        ([image(b"", "empty.png")], "empty.png is no image"),
        ([AttachmentParams("b.png", "no base64!")], "data of the image b.png is no base64"),
        ([image(PNG + bytes(MAX_BYTES), "big.png")], "big.png is larger than 4 MiB"),
        ([image(PNG)] * 5, "5 images"),
    ],
)
def test_anything_else_is_refused_by_name(
    journal: SqliteJournal, given: list[AttachmentParams], problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        keep_attachments(journal, given)


def test_a_sweep_leaves_what_a_run_refers_to(journal: SqliteJournal, tmp_path: Path) -> None:
    (kept,) = keep_attachments(journal, [image(PNG)])
    left = journal.keep_content(b"of nobody")
    journal.create_run(Task("look", ("/w",), TaskContext(attachments=(kept,))))
    blobs = BlobStore(tmp_path / "blobs")
    long_ago = time.time() - 100_000
    for name in (kept.content, left):
        os.utime(blobs.path(name), (long_ago, long_ago))

    sweep(journal, blobs)

    assert journal.content(kept.content) == PNG
    assert journal.content(left) is None

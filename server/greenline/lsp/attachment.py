"""Images that come with a request: checked by what they hold, and kept in the journal."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import TYPE_CHECKING

from greenline.core.error import InvalidInput
from greenline.core.task import Attachment
from greenline.lsp.protocol import AttachmentParams

if TYPE_CHECKING:
    from greenline.core.port import Journal

MAX_BYTES = 4 * 1024 * 1024
MAX_IMAGES = 4
_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def keep_attachments(journal: Journal, given: Sequence[AttachmentParams]) -> tuple[Attachment, ...]:
    """Return images as a task has them; raises `InvalidInput` for anything else, too many or too large."""
    if len(given) > MAX_IMAGES:
        raise InvalidInput(f"{len(given)} images are attached.", remedy=f"Attach at most {MAX_IMAGES}.")
    images = [(item.name, _data(item)) for item in given]
    kinds = [_kind(name, data) for name, data in images]
    return tuple(
        Attachment(name, kind, journal.keep_content(data))
        for (name, data), kind in zip(images, kinds, strict=True)
    )


def _data(item: AttachmentParams) -> bytes:
    # Four characters stand for three bytes, so that what is too large need not be decoded.
    if len(item.data) > MAX_BYTES // 3 * 4 + 4:
        raise InvalidInput(
            f"The image {item.name} is larger than {MAX_BYTES // 1024 // 1024} MiB.",
            remedy="Make it smaller.",
        )
    try:
        return base64.b64decode(item.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(
            f"The data of the image {item.name} is no base64 ({error}).",
            remedy="Send the file's bytes as base64.",
        ) from error


def _kind(name: str, data: bytes) -> str:
    for start, kind in _KINDS:
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise InvalidInput(
        f"{name} is no image that can be attached.", remedy="Attach a PNG, JPEG, GIF or WebP file."
    )

"""Changes the text of bytes whose encoding may have to be guessed: no other reading of them may be harmed.

Bytes that are no UTF-8 and that nothing declares are read as Latin-1, which keeps them all. Where they can
also be read in an encoding of several bytes a character, or of escapes in ASCII, a change must come to the
same in that reading: otherwise it would cut a character in two, or mix two encodings in one file.
"""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Callable, Iterable

import attrs

from greenline.core.error import EditRejected, InvalidInput
from greenline.workspace.encoding import TextFile, declared_encoding, decode, decode_as, encode

Change = Callable[[TextFile], str]
"""A file's text → its new text."""
_WIDE = ("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr")
_LEGACY = ("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "iso8859_15", *_WIDE)
_ESCAPED = ("iso2022_jp_ext", "iso2022_kr", "hz", "utf_7")
_ESCAPES = (
    re.compile(rb"\x1b[$(]"),
    re.compile(rb"~\{"),
    # Letters that UTF-7 writes are no word and no number, as what a plus stands before in ASCII often is.
    re.compile(rb"\+(?!(?:[A-Z]?[a-z]+|[A-Z]?[0-9]+)(?![A-Za-z0-9+/]))[A-Za-z0-9+/]{3}"),
    re.compile(rb"\x0e"),
)
_SHIFTS = re.compile(rb"\x1b\$|\x0e")
"""What only the escapes of ISO 2022 begin with."""


def changed(data: bytes, file: TextFile, old_text: str, change: Change, *, is_free: bool) -> bytes:
    """Return a file's bytes after a change of its text; `old_text` is what the edit says of the file.

    `is_free` says that nobody named an encoding. Where it is a guess, letters of `old_text` that the file has
    in one other encoding show it.
    Raises `EditRejected` (`not-utf8`, `unencodable`, and what `change` raises).
    """
    try:
        after = encoded(file, change(file))
    except EditRejected:
        if not file.guessed or old_text.isascii():
            raise
    else:
        if is_free and (old_text.isascii() or not file.guessed):
            _refuse_other_reading(data, file, after, change)
        return after
    return _only(_results(data, _LEGACY, change))


def written(data: bytes, file: TextFile, content: str, change: Change, *, is_free: bool) -> bytes:
    """Return a file's bytes after it was given all its text anew.

    Where the encoding is a guess, lines that stay and are no ASCII show it.
    """
    try:
        after = encoded(file, change(file))
    except EditRejected as error:
        if not file.guessed or error.code == "elision":
            raise
    else:
        if is_free and not file.guessed:
            # Whole lines cut no character in two; a file of escapes would still get letters of UTF-8.
            _refuse_other_reading(data, file, after, change)
        return after
    lines = set(content.split("\n"))
    scores: dict[str, int] = {}
    for encoding in _LEGACY:
        with contextlib.suppress(InvalidInput):
            text = decode_as(data, encoding).text.replace("\r\n", "\n")
            scores[encoding] = sum(line in lines for line in text.split("\n") if not line.isascii())
    best = max(scores.values(), default=0)
    return _only(_results(data, [name for name, score in scores.items() if score == best > 0], change))


def encoded(file: TextFile, text: str) -> bytes:
    """Encode a file's new text; raises `EditRejected` (`unencodable`, `not-utf8`, `malformed`)."""
    if file.text and not file.bom and text.startswith("\ufeff") and not file.text.startswith("\ufeff"):
        # A mark that the file does not have came with the edit, as editors and models add it.
        text = text[1:]
    if "\0" in text and "\0" not in file.text:
        raise EditRejected(
            "The edit writes a NUL character, and then the file would be no text.",
            remedy="Leave it out, or write its escape.",
            code="malformed",
        )
    data = encode(attrs.evolve(file, text=text))
    if file.guessed:
        new = next((c for c in text if not c.isascii() and c not in file.text), None)
        if new is not None:
            raise EditRejected(
                f"The file is not UTF-8, and nothing says how it would write U+{ord(new):04X}.",
                remedy="Name its encoding, or use characters that it has.",
                code="not-utf8",
            )
    return data


def as_declared(path: str, before: bytes, after: bytes) -> bytes:
    """Return a file's new bytes as what it says of its encoding, where no old bytes are at stake.

    Raises `EditRejected` (`unencodable`) where the edit changes what bytes that stay are said to be, and for
    an encoding that the file would not be read by.
    """
    said = declared_encoding(after)
    if after.isascii() or after.startswith(codecs.BOM_UTF8) or said in (None, declared_encoding(before)):
        return after
    is_new = before.isascii()
    own = codecs.lookup("utf-8" if is_new else decode(before).encoding).name
    if said == own:
        return after
    with contextlib.suppress(UnicodeError, LookupError):
        text = after.decode("utf-8")
        data = text.encode(said)
        if is_new and data.decode(said) == text and declared_encoding(data) == said:
            return data
    raise EditRejected(
        f"The edit lets the file say that it is {said}, and its bytes are {own}.",
        remedy="Leave that line as it is, use letters of that encoding, or convert the file first.",
        code="unencodable",
        path=path,
    )


def _results(data: bytes, encodings: Iterable[str], change: Change) -> set[bytes]:
    """Return what a change comes to in each encoding that the bytes and the new text can be in."""
    found = set()
    for encoding in encodings:
        with contextlib.suppress(EditRejected, InvalidInput):
            file = decode_as(data, encoding)
            found.add(encoded(file, change(file)))
    return found


def _only(found: set[bytes]) -> bytes:
    if len(found) == 1:
        return found.pop()
    raise EditRejected(
        "The file is not UTF-8, and its encoding cannot be told.",
        remedy="Name its encoding with --encoding, or use characters that it has.",
        code="not-utf8",
    )


def _refuse_other_reading(data: bytes, file: TextFile, after: bytes, change: Change) -> None:
    """Refuse a change that comes to something else where the bytes are read in another likely encoding."""
    if file.bom or after == data or not (file.guessed or data.isascii()):
        return
    if data.isascii() and not any(escape.search(data) for escape in _ESCAPES):
        return
    if file.guessed and _n_high(after) > _n_high(data):
        # Letters of the edit that the file has in this reading speak for it.
        return
    for encoding in _WIDE if file.guessed else _ESCAPED:
        try:
            other = decode_as(data, encoding)
        except InvalidInput:
            continue
        if (
            not other.text.isascii()
            and other.text != file.text
            and _results(data, [encoding], change) != {after}
        ):
            raise _doubtful(encoding)
    if data.isascii() and not after.isascii() and (_SHIFTS.search(data) or _is_utf_7(data)):
        raise _doubtful("ISO 2022 or UTF-7")


def _is_utf_7(data: bytes) -> bool:
    """Return whether bytes are UTF-7 with letters, whichever runs of them end in `-`."""
    try:
        text = data.decode("utf-7")
        return not text.isascii() and text.encode("utf-7").replace(b"-", b"") == data.replace(b"-", b"")
    except UnicodeError:
        return False


def _n_high(data: bytes) -> int:
    return sum(byte > 0x7F for byte in data)


def _doubtful(encoding: str) -> EditRejected:
    return EditRejected(
        f"The file may be {encoding}, and then the edit would change half of a character or mix encodings.",
        remedy="Name the file's encoding with --encoding.",
        code="not-utf8",
    )

"""Bytes ↔ text with an exact round trip: whatever was not edited comes back byte for byte."""

from __future__ import annotations

import codecs
import re

import attrs

from greenline.core.error import EditRejected, InvalidInput

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_XML = re.compile(rb"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([-\w.:]+)["']""")
_META = re.compile(rb"""<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([-\w.:]+)""", re.IGNORECASE)
_HTML = re.compile(
    rb"\s*(?:(?><!--.*?-->)\s*)*<(?:!doctype\s+html|html|head|meta)\b", re.IGNORECASE | re.DOTALL
)
_HEAD = 1024
"""Bytes at the beginning of a page within which it says its encoding."""
_DECLARED = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


@attrs.frozen
class TextFile:
    """The text of a file, and what it takes to turn it back into the same bytes."""

    text: str
    """Without a byte order mark; line ends as stored."""
    encoding: str = "utf-8"
    """A Python codec's name."""
    bom: bytes = b""
    """The byte order mark as stored, or empty."""
    guessed: bool = False
    """Whether nothing but the lack of a better idea says that this is the encoding."""

    @property
    def form(self) -> str:
        """All but the text, as one word for the journal: `codec+bom`, the mark in hex."""
        return f"{self.encoding}+{self.bom.hex()}"

    @classmethod
    def in_form(cls, form: str, text: str = "") -> TextFile:
        """Return a text in a form that `form` gave; the empty form is plain UTF-8."""
        codec, _, mark = form.partition("+")
        return cls(text, codec or "utf-8", bytes.fromhex(mark))


def decode(data: bytes) -> TextFile:
    """Decode a file's bytes; raises `InvalidInput` with the code `binary` where they are no text."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = _round_trip(data[len(bom) :], encoding)
            if text is not None:
                return TextFile(text, encoding, bom)
    if b"\0" in data:
        raise InvalidInput(
            "The file holds NUL bytes, so it is binary and not text.",
            remedy="Only text files can be read or edited.",
            code="binary",
        )
    if not data.isascii() and (text := _round_trip(data, "utf-8")) is not None:
        return TextFile(text)
    declared = declared_encoding(data)
    if declared is not None and (text := _round_trip(data, declared)) is not None:
        return TextFile(text, declared)
    if data.isascii():
        return TextFile(data.decode("ascii"))
    return TextFile(data.decode("latin-1"), "latin-1", guessed=True)


def decode_as(data: bytes, encoding: str) -> TextFile:
    """Decode bytes in a named encoding; a byte order mark that is there wins.

    Raises `InvalidInput`, with the code `not-utf8` where the bytes are no text in that encoding.
    """
    try:
        codec = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, ValueError):
        raise InvalidInput(
            f"There is no text encoding {encoding!r}.", remedy="Name one that Python knows, such as cp1252."
        ) from None
    for bom, name in _BOMS:
        if data.startswith(bom) and (text := _round_trip(data[len(bom) :], name)) is not None:
            return TextFile(text, name, bom)
    # Without a mark these two would read in the machine's order, and write a mark that was not there.
    names = (f"{codec.name}-le", f"{codec.name}-be") if codec.name in ("utf-16", "utf-32") else (codec.name,)
    read = [(name, _round_trip(data, name)) for name in names]
    texts = [(text.count("\0"), name, text) for name, text in read if text is not None]
    if not texts and _is_readable(data, encoding):
        raise InvalidInput(
            f"The file can be read as {encoding}, but it would not be written back as the same bytes.",
            remedy="Name the variant of the encoding that the file has, or convert the file first.",
            code="not-utf8",
        )
    if not texts:
        raise InvalidInput(
            f"The file is no text in the encoding {encoding}.",
            remedy="Name the file's own encoding with --encoding.",
            code="not-utf8",
        )
    _, name, text = min(texts, key=lambda item: item[0])
    return TextFile(text, name)


def encode(file: TextFile) -> bytes:
    """Encode a text file; raises `EditRejected` (`unencodable`) where its encoding lacks a character."""
    try:
        return file.bom + file.text.encode(file.encoding)
    except UnicodeEncodeError as error:
        character = file.text[error.start]
        raise EditRejected(
            f"The character U+{ord(character):04X} cannot be written in the file's encoding {file.encoding}.",
            remedy="Use characters of that encoding, or convert the file first.",
            code="unencodable",
        ) from None


def declared_encoding(data: bytes) -> str | None:
    """Return the codec that the text says it is in, if Python has it.

    A PEP 263 line in the first two lines says it, an XML declaration, or a `meta` element of an HTML page.
    """
    match = next(filter(None, map(_DECLARED.match, data.split(b"\n", 2)[:2])), None)
    name = _codec(match)
    if match is not None:
        return name
    head = data[:_HEAD]
    name = _codec(_XML.match(head) or (_META.search(head) if _HTML.match(head) else None))
    # What is in bytes that hold ASCII is not in two or four bytes a character, whatever it says.
    is_wide = name is not None and name.startswith(("utf-16", "utf-32"))
    return None if name is None or is_wide or not _is_of_text(name) else name


def _codec(match: re.Match[bytes] | None) -> str | None:
    try:
        return None if match is None else codecs.lookup(match.group(1).decode("ascii", "replace")).name
    except (LookupError, ValueError):
        return None


def _is_of_text(name: str) -> bool:
    """Return whether a codec turns text into bytes: Python has others too."""
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return True


def is_binary(data: bytes) -> bool:
    """Return whether `decode` would refuse the bytes."""
    try:
        decode(data)
    except InvalidInput:
        return True
    return False


def _is_readable(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def _round_trip(data: bytes, encoding: str) -> str | None:
    """Decode, or return None where encoding the text again would not give the same bytes."""
    try:
        text = data.decode(encoding)
        # Codecs with states (UTF-7, ISO-2022) can write the same text in several ways.
        return text if text.encode(encoding) == data else None
    except (UnicodeError, LookupError):
        return None

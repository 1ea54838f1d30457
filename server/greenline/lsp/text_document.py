"""Open documents as the editor sees them: pygls's classes with LSP's line ends and exact bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from greenline.lsp.convert import Encoding, Replaced, edited, encoding_name
from greenline.lsp.lines import lines_of, remember
from greenline.workspace.encoding import decode
from greenline.workspace.regular import read_regular


class ExactDocument(TextDocument):
    """A document whose lines end as LSP says, and whose unopened text keeps its line ends.

    pygls 2.1.1 splits at form feeds, U+2028 and more, which corrupts its copy at the next incremental change,
    and reads a file on disk with universal newlines.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._before = ""
        self._replaced: list[Replaced | None] = []

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends."""
        return lines_of(self.source)

    @property
    def source(self) -> str:
        """The whole text; from the disk's exact bytes where the document is not open."""
        if self._source is None:
            return decode(read_regular(self.path)).text
        return self._source

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply one change, and remember which lines it replaced."""
        encoding = Encoding(encoding_name(self.position_codec.encoding))
        before = self.source
        lines, replaced = edited(self.lines, change, encoding)
        self._source = "".join(lines)
        remember(self._source, lines)
        if not self._replaced:
            self._before = before
        self._replaced.append(replaced)

    def take_replaced(self) -> tuple[str, tuple[Replaced, ...]] | None:
        """Return the text of the last call, and the changes since; None where the whole text was replaced."""
        before, replaced = self._before, tuple(change for change in self._replaced if change is not None)
        is_whole = len(replaced) == len(self._replaced)
        self._before, self._replaced = "", []
        return (before, replaced) if replaced and is_whole else None


class ExactWorkspace(Workspace):
    """A workspace of exact documents."""

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> ExactDocument:
        return ExactDocument(
            doc_uri,
            source=source,
            version=version,
            language_id=language_id,
            sync_kind=self._sync_kind,
            position_codec=self._position_codec,
        )

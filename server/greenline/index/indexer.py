"""The workspace → the index: looks at what changed, reads it, and keeps the index equal to one built anew.

May run in the index worker and in a command; it loads grammars and, with an embedder, numpy.
"""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.
# ruff: noqa: PTH112, PTH114, PTH118

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from greenline.index.analysis import analyse
from greenline.index.chunk import SkipReason
from greenline.index.generation import OpenIndex, open_index
from greenline.index.grammar import language_of
from greenline.index.scope import IGNORE_FILES, UNKNOWN, Disk, Found, IndexGate, Scope
from greenline.index.source import Refused, Source, from_buffer, read_source
from greenline.index.store import IndexStore
from greenline.index.tree import TreeCache
from greenline.index.vector import Embedder
from greenline.index.writer import Known

_BATCH_BYTES = 4 * 1024 * 1024
_BATCH_FILES = 400
_FRESH_NS = 50_000_000
"""A file written so shortly before it is read may change again within the same tick of the disk's clock."""
_FRESH_SECONDS_NS = 2_000_000_000
"""The same for disks whose clock shows whole seconds."""
_FILES_BETWEEN_CHECKS = 50
_GIT_INDEX = ".git/index"


@attrs.define
class Report:
    """What one scan or update did."""

    n_seen: int = 0
    n_parsed: int = 0
    n_revived: int = 0
    """Versions that were known and came back without being read by a grammar."""
    n_removed: int = 0
    n_skipped: int = 0
    paths: list[str] = attrs.field(factory=list)
    """Absolute paths whose text in the index is another than before."""


@attrs.frozen
class Progress:
    """How far a scan is."""

    n_done: int
    n_total: int


_Work = tuple[str, int, Found, Known | None]
"""Root, its id, what is there, and what the index holds of it."""


class Indexer:
    """Keeps one index file; the only writer while it lives, used by one thread."""

    def __init__(
        self,
        path: Path,
        roots: Sequence[str],
        gate: IndexGate,
        embedder: Embedder | None = None,
    ) -> None:
        """Open or make the index file; raises `IndexUnusable`.

        Where other versions wrote the file, a new one is built beside it and takes its place at the end of
        the first scan.
        """
        self.scope = Scope(roots, gate)
        self._path = path
        self._embedder = embedder
        self._overlay: dict[str, Source] = {}
        self._trees = TreeCache()
        self._open: OpenIndex = open_index(path, embedder)
        self._pending = 0
        self._gathered_bytes = 0
        self._gathered_files = 0
        self._unchecked = 0
        self.pause: Callable[[], None] = lambda: None
        """Called between files; may block, and may raise to stop the work after what is committed."""

    @property
    def store(self) -> IndexStore:
        """The index for reading, on the thread that writes."""
        return self._open.store

    def close(self) -> None:
        """Close the file; idempotent."""
        self._open.close()

    def scan(self, on_progress: Callable[[Progress], None] | None = None) -> Report:
        """Compare every file with the index and bring the index up to date.

        Files whose size, times and inode are those of the index are not read.
        """
        report = Report()
        writer = self._open.writer
        writer.begin()
        self._forget_roots()
        work: list[_Work] = []
        for root in self.scope.roots:
            root_id = writer.root_id(root)
            known = writer.known(root_id)
            for found in self._with_buffers(root, self.scope.list(root)):
                report.n_seen += 1
                before = known.pop(found.path, None)
                if before is None or before.disk != found.disk or found.disk == UNKNOWN:
                    work.append((root, root_id, found, before))
            for path in known:
                writer.retire(root_id, path)
                report.n_removed += 1
                report.paths.append(os.path.join(root, path))
        self._pending = len(work)
        writer.commit(self._pending)
        self._work(work, report, on_progress)
        self._open = self._open.finish()
        return report

    def update(self, paths: Iterable[str]) -> Report:
        """Look at these absolute paths again, files or folders, whatever happened to them.

        A change of an ignore file leads to a scan. Paths outside the roots are left out.
        """
        by_root: dict[str, list[str]] = {}
        for path in dict.fromkeys(paths):
            located = self.scope.locate(path)
            if located is None:
                continue
            root, relative = located
            if relative.rpartition("/")[2] in IGNORE_FILES or relative in (_GIT_INDEX, ".git/info/exclude"):
                return self.scan()
            if not relative.startswith(".git/"):
                by_root.setdefault(root, []).append(relative)
        report = Report()
        work: list[_Work] = []
        for root, relatives in by_root.items():
            work.extend(self._look(root, relatives, report))
        self._pending = len(work)
        self._work(work, report, None)
        return report

    def set_buffers(self, texts: Mapping[str, str | None]) -> Report:
        """Put the texts of open buffers over the disk, by absolute path; None gives the path back to it."""
        for path, text in texts.items():
            if text is None:
                self._overlay.pop(os.path.normpath(path), None)
            else:
                self._overlay[os.path.normpath(path)] = from_buffer(text)
        return self.update(texts)

    def maintain(self) -> bool:
        """Drop old versions and free space where that is worth it; return whether it was."""
        return self._open.compact(idle=True)

    # --- what to do -------------------------------------------------------------------------------------

    def _look(self, root: str, relatives: list[str], report: Report) -> list[_Work]:
        """Return what has to be read of some paths of a root; what is gone is retired."""
        writer = self._open.writer
        root_id = writer.root_id(root)
        known = {relative: writer.known_path(root_id, relative) for relative in relatives}
        asked = [r for r in relatives if known[r] is None or self._is_folder(root, r)]
        listed = self.scope.listed(root, asked)
        listed.update(r for r in relatives if known[r] is not None and r not in asked)
        work = []
        for relative in sorted(listed | self._buffers_in(root, relatives)):
            before = known[relative] if relative in known else writer.known_path(root_id, relative)
            found = self._found(root, relative)
            if found is None:
                continue
            listed.add(relative)
            report.n_seen += 1
            if before is None or before.disk != found.disk or found.disk == UNKNOWN:
                work.append((root, root_id, found, before))
        for relative in relatives:
            for path in [relative, *writer.paths_below(root_id, relative)]:
                gone = path not in listed or self._found(root, path) is None
                if gone and writer.known_path(root_id, path) is not None:
                    writer.retire(root_id, path)
                    report.n_removed += 1
                    report.paths.append(os.path.join(root, path))
        return work

    def _found(self, root: str, relative: str) -> Found | None:
        """Return what there is at a path, the open buffer first."""
        if os.path.join(root, relative) in self._overlay:
            found = self.scope.look(root, relative)
            if found is None and not self.scope.may_buffer(root, relative):
                return None
            if found is None or found.refused is None or found.refused.reason is SkipReason.TOO_LARGE:
                return Found(relative, UNKNOWN)
            return found
        return self.scope.look(root, relative)

    def _with_buffers(self, root: str, listed: Iterable[Found]) -> Iterable[Found]:
        """Yield a root's files, open buffers in their place."""
        open_here = self._buffers_in(root, ["."])
        for found in listed:
            if found.path in open_here:
                open_here.discard(found.path)
                buffer = self._found(root, found.path)
                if buffer is not None:
                    yield buffer
            else:
                yield found
        for relative in sorted(open_here):
            if not os.path.lexists(os.path.join(root, relative)) and self._found(root, relative):
                yield Found(relative, UNKNOWN)

    def _buffers_in(self, root: str, relatives: Sequence[str]) -> set[str]:
        located = (self.scope.locate(path) for path in self._overlay)
        wanted = set(relatives)
        return {r for at, r in (x for x in located if x) if at == root and ("." in wanted or r in wanted)}

    @staticmethod
    def _is_folder(root: str, relative: str) -> bool:
        full = os.path.join(root, relative)
        return os.path.isdir(full) and not os.path.islink(full)

    def _forget_roots(self) -> None:
        for root in self._open.store.roots():
            if root not in self.scope.roots:
                self._open.writer.remove_root(root)

    # --- doing it ---------------------------------------------------------------------------------------

    def _work(
        self,
        work: Sequence[_Work],
        report: Report,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        try:
            for n_done, (root, root_id, found, before) in enumerate(work, 1):
                self._take(root, root_id, found, before, report)
                self._pending -= 1
                if self._gathered_bytes > _BATCH_BYTES or self._gathered_files >= _BATCH_FILES:
                    self._commit()
                    if on_progress is not None:
                        on_progress(Progress(n_done, len(work)))
                self.pause()
        except BaseException:
            self._commit()
            raise
        self._commit()
        if on_progress is not None:
            on_progress(Progress(len(work), len(work)))
        self._unchecked += len(work)
        if self._unchecked >= _FILES_BETWEEN_CHECKS:
            self._unchecked = 0
            self._open.compact(idle=False)

    def _commit(self) -> None:
        self._open.writer.commit(self._pending)
        self._gathered_bytes = self._gathered_files = 0

    def _take(self, root: str, root_id: int, found: Found, before: Known | None, report: Report) -> None:
        """Bring one path up to date."""
        writer = self._open.writer
        full = os.path.join(root, found.path)
        disk, source = self._read(full, found)
        if isinstance(source, Refused):
            writer.skip(root_id, found.path, source, disk)
            report.n_skipped += 1
            if before is not None and before.file_id is not None:
                report.paths.append(full)
            return
        self._gathered_files += 1
        if before is not None and before.content_hash == source.content_hash and before.file_id is not None:
            writer.touch(before, disk)
            return
        report.paths.append(full)
        if writer.revive(root_id, found.path, source.content_hash, disk):
            report.n_revived += 1
            return
        language = language_of(found.path, source.text)
        tree = self._trees.parse(full, source.text, language, keep=before is not None)
        what = analyse(found.path, source.text, language, tree)
        writer.put(root_id, found.path, source.content_hash, disk, what)
        report.n_parsed += 1
        self._gathered_bytes += len(source.text)

    def _read(self, full: str, found: Found) -> tuple[Disk, Source | Refused]:
        """Return a file's text, or why it has none to index, and what to remember of the disk."""
        buffer = self._overlay.get(full)
        if buffer is not None and found.disk == UNKNOWN:
            return UNKNOWN, buffer
        if found.refused is not None:
            return found.disk, found.refused
        try:
            data = Path(full).read_bytes()
        except OSError as error:
            return UNKNOWN, Refused(SkipReason.UNREADABLE, error.strerror or "")
        disk = found.disk
        whole_seconds = disk.mtime_ns % 1_000_000_000 == 0
        age_ns = time.time_ns() - max(disk.mtime_ns, disk.ctime_ns)
        fresh = age_ns < (_FRESH_SECONDS_NS if whole_seconds else _FRESH_NS)
        if len(data) != disk.size or fresh:
            # It may change again without looking any different: the next scan reads it once more.
            disk = attrs.evolve(disk, mtime_ns=-1)
        return disk, read_source(found.path, data)

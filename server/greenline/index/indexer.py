"""The workspace → the index: looks at what changed, reads it, and keeps the index equal to one built anew.

May run in the index worker and in a command; it loads grammars and, with an embedder, numpy.
"""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.
# ruff: noqa: PTH112, PTH114, PTH118

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from greenline.index.analysis import Analysis, analyse
from greenline.index.chunk import SkipReason
from greenline.index.generation import OpenIndex, open_index
from greenline.index.grammar import language_of
from greenline.index.scope import RULE_FILES, UNKNOWN, Disk, Found, IndexGate, Scope
from greenline.index.source import Refused, Source, from_buffer, hash_content, read_source
from greenline.index.store import IndexStore
from greenline.index.tree import TreeCache
from greenline.index.vector import Embedder
from greenline.index.writer import Known
from greenline.workspace.regular import read_regular

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
        self.on_listed: Callable[[str, Sequence[str]], None] = lambda root, paths: None
        """Told in a scan which files a root has, before any of them is looked at.

        Whoever watches their folders from then on misses no change: what came before is seen.
        """

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
            listed = self.scope.list(root)
            self.on_listed(root, listed)
            here = frozenset(listed)
            for relative in sorted(here | self._buffers_in(root, ["."])):
                found = self._found(root, relative, here)
                if found is None:
                    continue
                report.n_seen += 1
                before = known.pop(found.path, None)
                if before is None or not before.is_current(found):
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
            if relative.rpartition("/")[2] in RULE_FILES or relative in (_GIT_INDEX, ".git/info/exclude"):
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

    def knows(self, root: str, relative: str) -> bool:
        """Return whether the index holds a path, indexed or skipped, or anything below it."""
        writer = self._open.writer
        root_id = writer.root_id(root)
        return writer.known_path(root_id, relative) is not None or bool(writer.paths_below(root_id, relative))

    def set_buffers(self, texts: Mapping[str, str | None]) -> Report:
        """Put the texts of open buffers over the disk, by absolute path; None gives the path back to it."""
        for path, text in texts.items():
            if text is None:
                self._overlay.pop(os.path.normpath(path), None)
            else:
                self._overlay[os.path.normpath(path)] = from_buffer(text)
        return self.update(texts)

    def embed_pending(self, n_files: int = 200) -> bool:
        """Embed chunks that have no vector, of so many files; return whether none is left.

        There are some after a change of the embedder; the old one's vectors serve until the last is made.
        """
        writer = self._open.writer
        missing = writer.files_without_vectors(n_files)
        if not missing:
            self._open.serve_new_vectors()
            return True
        for root, path, content_hash in missing:
            full = os.path.join(root, path)
            buffer = self._overlay.get(full)
            source: Source | Refused | None = buffer
            if buffer is None:
                found = self.scope.look(root, path)
                content = None if found is None else self._read(full, found)[1]
                source = read_source(path, content) if isinstance(content, bytes) else None
            if isinstance(source, Source) and source.content_hash == content_hash:
                what = self._analyse(path, full, source, None)
                if not writer.add_vectors(what):
                    root_id = writer.root_id(root)
                    known = writer.known_path(root_id, path)
                    disk = UNKNOWN if known is None else known.disk
                    writer.put(root_id, path, content_hash, disk, what, known)
            else:
                # It changed since; whatever it is now is embedded when it is read.
                self.update([full])
            self.pause()
        self._commit()
        return False

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
        # Whatever changes what is listed leads to a scan: a path that is known still is, if it is there.
        listed.update(r for r in relatives if known[r] is not None)
        work = []
        there = set()
        for relative in sorted(listed | self._buffers_in(root, relatives)):
            found = self._found(root, relative, listed)
            if found is None:
                continue
            there.add(relative)
            report.n_seen += 1
            before = known[relative] if relative in known else writer.known_path(root_id, relative)
            if before is None or not before.is_current(found):
                work.append((root, root_id, found, before))
        for relative in relatives:
            below = writer.paths_below(root_id, relative) if relative in asked else []
            for path in [relative, *below]:
                if path not in there and writer.known_path(root_id, path) is not None:
                    writer.retire(root_id, path)
                    report.n_removed += 1
                    report.paths.append(os.path.join(root, path))
        return work

    def _found(self, root: str, relative: str, listed: Container[str]) -> Found | None:
        """Return what of a path belongs to the index: the only place that decides it, scans included.

        A file has to be listed; an open buffer lies over it, unless the gate withholds it or it is a link. A
        buffer where there is no file stands for the file that it would become.
        """
        is_open = os.path.join(root, relative) in self._overlay
        found = self.scope.look(root, relative) if relative in listed else None
        if found is None:
            return Found(relative, UNKNOWN) if is_open and self.scope.may_buffer(root, relative) else None
        if is_open and (found.refused is None or found.refused.reason is SkipReason.TOO_LARGE):
            return Found(relative, UNKNOWN)
        return found

    def _buffers_in(self, root: str, relatives: Sequence[str]) -> set[str]:
        """Return the open buffers at or below some paths of a root; `.` is all of it."""
        wanted = set(relatives)
        found = set()
        for located in map(self.scope.locate, self._overlay):
            if located is None or located[0] != root:
                continue
            parts = located[1].split("/")
            above = {"/".join(parts[:count]) for count in range(1, len(parts) + 1)}
            if "." in wanted or not wanted.isdisjoint(above):
                found.add(located[1])
        return found

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
        disk, content = self._read(full, found)
        self._gathered_files += 1
        if isinstance(content, bytes) and before is not None and before.disk == UNKNOWN:
            # A buffer is indexed whatever it is; a file with the same text may be refused.
            content = read_source(found.path, content)
        if not isinstance(content, Refused):
            # A version that was indexed before needs no second look at what it is.
            content_hash = content.content_hash if isinstance(content, Source) else hash_content(content)
            if before is not None and before.content_hash == content_hash:
                writer.touch(before, disk)
                return
            if writer.revive(root_id, found.path, content_hash, disk, before):
                report.n_revived += 1
                report.paths.append(full)
                return
        source = read_source(found.path, content) if isinstance(content, bytes) else content
        if isinstance(source, Refused):
            writer.skip(root_id, found.path, source, disk)
            report.n_skipped += 1
            if before is not None and before.file_id is not None:
                report.paths.append(full)
            return
        what = self._analyse(found.path, full, source, before)
        writer.put(root_id, found.path, source.content_hash, disk, what, before)
        report.n_parsed += 1
        report.paths.append(full)
        self._gathered_bytes += len(source.text)

    def _analyse(self, path: str, full: str, source: Source, before: Known | None) -> Analysis:
        language = language_of(path, source.text)
        tree = self._trees.parse(full, source.text, language, keep=before is not None)
        return analyse(path, source.text, language, tree)

    def _read(self, full: str, found: Found) -> tuple[Disk, bytes | Source | Refused]:
        """Return a file's bytes, a buffer, or why there is nothing to index, and what to note of the disk."""
        buffer = self._overlay.get(full)
        if buffer is not None and found.disk == UNKNOWN:
            return UNKNOWN, buffer
        if found.refused is not None:
            return found.disk, found.refused
        try:
            data = read_regular(full)
        except OSError as error:
            return UNKNOWN, Refused(SkipReason.UNREADABLE, error.strerror or "")
        disk = found.disk
        whole_seconds = disk.mtime_ns % 1_000_000_000 == 0
        age_ns = time.time_ns() - max(disk.mtime_ns, disk.ctime_ns)
        fresh = age_ns < (_FRESH_SECONDS_NS if whole_seconds else _FRESH_NS)
        if len(data) != disk.size or fresh:
            # It may change again without looking any different: the next scan reads it once more.
            disk = attrs.evolve(disk, mtime_ns=-1)
        return disk, data

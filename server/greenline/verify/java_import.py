"""Which Java files use which others: by imports, and within a package by the names of its classes; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import attrs

from greenline.core.port import Tree
from greenline.verify.java_text import JAVA

_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.M)
_IMPORT = re.compile(rb"^\s*import\s+(?:static\s+)?([\w.]+?)(\.\*)?\s*;", re.M)
_WORD = re.compile(rb"\b[A-Z]\w*")


@attrs.frozen
class JavaNames:
    """The classes of a tree that have the name of their file."""

    files: Mapping[str, list[str]]
    """Full name → files: in several modules a class may have the same."""
    packages: Mapping[str, list[str]]
    """Package → simple names of its classes."""

    @classmethod
    def of(cls, tree: Tree) -> JavaNames:
        """Read the names of all Java files."""
        files: dict[str, list[str]] = {}
        packages: dict[str, list[str]] = {}
        for path, file in tree.items():
            if path.endswith(JAVA):
                package, stem = _package(file.content), path.rpartition("/")[2].removesuffix(".java")
                files.setdefault(f"{package}.{stem}", []).append(path)
                packages.setdefault(package, []).append(stem)
        return cls(files, packages)

    def used_by(self, content: bytes) -> Iterator[str]:
        """Yield the files whose classes a file imports or, of its own package, names."""
        wanted = {_package(content)}
        for match in _IMPORT.finditer(content):
            name = match[1].decode("ascii", "replace")
            if match[2] and name in self.packages:
                wanted.add(name)
            # What is imported may be a member of a class, or a class in one.
            parts = name.split(".")
            for n_parts in range(len(parts), 0, -1):
                if files := self.files.get(".".join(parts[:n_parts])):
                    yield from files
                    break
        words = {word.decode("ascii", "replace") for word in _WORD.findall(content)}
        for package in wanted:
            for stem in words.intersection(self.packages.get(package, ())):
                yield from self.files[f"{package}.{stem}"]


def _package(content: bytes) -> str:
    match = _PACKAGE.search(content)
    return match[1].decode("ascii", "replace") if match else ""

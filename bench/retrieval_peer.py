"""One peer in a process of its own: `python retrieval_peer.py PEER`, a request as JSON on standard input.

Runs in the peers' own environment, so it imports nothing of ours. Request: `{root, files, queries, model}`.
Answer: `{ranked: [[path…]…], indexCpuS, updateS, queryMs: [ms…], queryCpuMs: [ms…],
memoryMb}`.
"""

from __future__ import annotations

import collections
import json
import math
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_WORD = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_STOP = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "or",
        "of",
        "to",
        "in",
        "for",
        "is",
        "are",
        "be",
        "on",
        "with",
        "how",
        "what",
        "when",
        "where",
        "which",
        "that",
        "this",
        "it",
        "as",
        "by",
        "from",
        "at",
        "not",
        "do",
        "does",
        "should",
        "into",
        "its",
        "than",
        "then",
        "use",
        "using",
        "used",
        "add",
        "fix",
        "make",
        "allow",
        "support",
        "remove",
        "update",
        "change",
        "new",
    ]
)
_WINDOW, _STEP = 60, 50
_N = 50


def tokens(text: str) -> list[str]:
    """Return a text's words, identifiers whole and in parts."""
    found = []
    for word in _WORD.findall(text):
        parts = (
            [p for p in word.lower().split("_") if p]
            if "_" in word
            else [p.lower() for p in _PART.findall(word)]
        )
        found += [word.lower(), *parts] if len(parts) > 1 else [word.lower()]
    return found


def asked(query: str) -> list[str]:
    """Return the distinct words of a query that are worth asking for."""
    words = [w for w in tokens(query) if len(w) > 1 and w not in _STOP]
    return list(dict.fromkeys(words)) or tokens(query)


class Windows:
    """Plain FTS5 over windows of 60 lines."""

    def __init__(self, root: Path, files: list[str], model: str) -> None:
        self._root = root
        self._folder = tempfile.TemporaryDirectory()
        self._db = sqlite3.connect(Path(self._folder.name) / "windows.db")
        self._db.execute("PRAGMA journal_mode = wal")
        self._db.execute(
            "CREATE VIRTUAL TABLE t USING fts5(path, body, file UNINDEXED, tokenize='unicode61')"
        )
        self._rows: dict[str, list[int]] = {}
        for file in files:
            self._add(file)
        self._db.commit()

    def _add(self, file: str) -> None:
        lines = (self._root / file).read_text(errors="replace").split("\n")
        path = " ".join(tokens(file))
        self._rows[file] = []
        for start in range(0, max(1, len(lines)), _STEP):
            body = " ".join(tokens("\n".join(lines[start : start + _WINDOW])))
            row = self._db.execute("INSERT INTO t VALUES (?, ?, ?)", (path, body, file)).lastrowid
            self._rows[file].append(row or 0)

    def search(self, query: str) -> list[str]:
        """Return paths, best first."""
        expression = " OR ".join(f'"{word}"' for word in asked(query))
        sql = "SELECT file FROM t WHERE t MATCH ? ORDER BY bm25(t, 3.0, 1.0) LIMIT 80"
        return [row[0] for row in self._db.execute(sql, (expression,))]

    def update(self, file: str) -> None:
        """Read one file again."""
        for row in self._rows[file]:
            self._db.execute("DELETE FROM t WHERE rowid = ?", (row,))
        self._add(file)
        self._db.commit()


class WholeFiles:
    """bm25s over whole files, paths three times."""

    def __init__(self, root: Path, files: list[str], model: str) -> None:
        import bm25s

        self._arguments = (root, files, model)
        self._files = files
        corpus = [tokens(f) * 3 + tokens((root / f).read_text(errors="replace")) for f in files]
        self._index = bm25s.BM25()
        self._index.index(corpus, show_progress=False)

    def search(self, query: str) -> list[str]:
        """Return paths, best first."""
        known = [word for word in asked(query) if word in self._index.vocab_dict] or [""]
        found, _ = self._index.retrieve([known], k=min(_N, len(self._files)), show_progress=False)
        return [self._files[i] for i in found[0]]

    def update(self, file: str) -> None:
        """Build the whole again, as there is no other way."""
        self.__init__(*self._arguments)  # type: ignore[misc]


class Grep:
    """ripgrep, a call a word; files by the summed rarity of the words that they hold."""

    def __init__(self, root: Path, files: list[str], model: str) -> None:
        self._root = root
        self._files = set(files)

    def search(self, query: str) -> list[str]:
        """Return paths, best first."""
        words = dict.fromkeys(w for w in _WORD.findall(query) if w.lower() not in _STOP and len(w) > 2)
        scores: collections.Counter[str] = collections.Counter()
        for word in list(words)[:12]:
            done = subprocess.run(
                ["rg", "-l", "-i", "-F", word, "."],
                cwd=self._root,
                capture_output=True,
                text=True,
                check=False,
            )
            found = [path for line in done.stdout.split("\n") if (path := line[2:]) in self._files]
            for path in found:
                scores[path] += math.log(1 + len(self._files) / (1 + len(found)))  # type: ignore[assignment]
        return [path for path, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]

    def update(self, file: str) -> None:
        """Do nothing: there is no index."""


class Semble:
    """semble; without weights of its own its vectors count for nothing (`alpha=0`)."""

    alpha: float | None = None
    rerank = True

    def __init__(self, root: Path, files: list[str], model: str) -> None:
        if model:
            os.environ["SEMBLE_MODEL_NAME"] = model
        else:
            os.environ["SEMBLE_MODEL_NAME"] = _random_model(root, files)
            self.alpha = 0.0
        self._folder = tempfile.TemporaryDirectory()
        os.environ["SEMBLE_CACHE_LOCATION"] = self._folder.name
        from semble import SembleIndex

        self._root = root
        self._type = SembleIndex
        self._index = SembleIndex.from_path(str(root))

    def search(self, query: str) -> list[str]:
        """Return paths, best first."""
        hits = self._index.search(query, top_k=_N, alpha=self.alpha, rerank=self.rerank)
        return [hit.chunk.file_path for hit in hits]

    def update(self, file: str) -> None:
        """Save the index and load it again: unchanged files come from the cache."""
        from semble.cache import save_index_to_cache

        self._index = self._type.from_path(str(self._root))
        save_index_to_cache(self._index, str(self._root))


class SembleRaw(Semble):
    """semble's BM25 without its ranking of paths and names."""

    rerank = False


PEERS: dict[str, Any] = {
    "semble": Semble,
    "semble raw BM25": SembleRaw,
    "FTS5 on windows": Windows,
    "bm25s": WholeFiles,
    "ripgrep idf": Grep,
}


def _random_model(root: Path, files: list[str]) -> str:
    """Make a model of semble's shape with random weights, so that its indexing costs what it costs."""
    import numpy
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    folder = Path(tempfile.gettempdir()) / f"greenline-bench-model-{os.getuid()}"
    if not (folder / "config.json").exists():
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(
            vocab_size=62500, special_tokens=["[PAD]", "[UNK]"], show_progress=False
        )
        tokenizer.train_from_iterator(((root / f).read_text(errors="replace") for f in files), trainer)
        shape = (tokenizer.get_vocab_size(), 256)
        vectors = numpy.random.default_rng(0).standard_normal(shape).astype("float32")
        StaticModel(vectors=vectors, tokenizer=tokenizer).save_pretrained(str(folder))
    return str(folder)


def cpu_s() -> float:
    """Return the processor time of this process and its children."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    root, files = Path(request["root"]), request["files"]
    kind = PEERS[sys.argv[1]]
    if issubclass(kind, Semble) and not request["model"]:
        _random_model(root, files)
    started = cpu_s()
    peer = kind(root, files, request["model"])
    index_cpu_s = cpu_s() - started
    ranked, milliseconds, cpu_ms = [], [], []
    for query in request["queries"]:
        began, began_cpu = time.perf_counter(), cpu_s()
        found = peer.search(query)
        milliseconds.append((time.perf_counter() - began) * 1000)
        cpu_ms.append((cpu_s() - began_cpu) * 1000)
        ranked.append(list(dict.fromkeys(found)))
    began = time.perf_counter()
    if request["touch"]:
        peer.update(request["touch"])
    answer = {
        "ranked": ranked,
        "indexCpuS": index_cpu_s,
        "updateS": time.perf_counter() - began,
        "queryMs": milliseconds,
        "queryCpuMs": cpu_ms,
        "memoryMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main()

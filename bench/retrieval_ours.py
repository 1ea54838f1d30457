"""Our index in a process of its own: `python -m bench.retrieval_ours [part…]`, the same request as a peer's.

Parts that are left out: `vectors`, `history`.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from bench.retrieval_peer import cpu_s
from greenline.guard.gate import Gate
from greenline.index.embed.static_embedder import StaticEmbedder
from greenline.index.indexer import Indexer
from greenline.index.retrieve.history import History, read_commits
from greenline.index.retrieve.retriever import Filter, Retriever


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    without = set(sys.argv[1:])
    root = request["root"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        started = cpu_s()
        embedder = None if "vectors" in without else StaticEmbedder()
        indexer = Indexer(path, [root], Gate([root]), embedder)
        indexer.scan()
        index_cpu_s = cpu_s() - started
        history = None if "history" in without else History(read_commits(root))
        retriever = Retriever(indexer.store, embedder, None if history is None else lambda _: history)
        retriever.search("warm up")
        ranked, milliseconds, cpu_ms = [], [], []
        for query in request["queries"]:
            began, began_cpu = time.perf_counter(), cpu_s()
            found = retriever.search(query, Filter(limit=20))
            milliseconds.append((time.perf_counter() - began) * 1000)
            cpu_ms.append((cpu_s() - began_cpu) * 1000)
            ranked.append(list(dict.fromkeys(hit.chunk.file.path for hit in found.hits)))
        began = time.perf_counter()
        if request["touch"]:
            touched = Path(root, request["touch"])
            text = touched.read_bytes()
            touched.write_bytes(text + b"\n")
            began = time.perf_counter()
            indexer.update([str(touched)])
        answer = {
            "ranked": ranked,
            "indexCpuS": index_cpu_s,
            "updateS": time.perf_counter() - began,
            "queryMs": milliseconds,
            "queryCpuMs": cpu_ms,
            "memoryMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "chunks": indexer.store.stats().n_chunks,
            "indexMb": indexer.store.stats().index_bytes / 1e6,
            "sourceMb": indexer.store.stats().source_bytes / 1e6,
        }
        indexer.close()
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main()

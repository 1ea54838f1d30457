"""Composition root: the only place that wires the parts together.

Imports stay inside the functions that need them: the front process and most commands must start without the
heavy parts (docker, litellm), and `initialize` is answered before the journal and the settings are loaded.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from greenline.sandboxes import make_sandbox as make_sandbox

if TYPE_CHECKING:
    from greenline.agent.agent import Agent
    from greenline.config.settings import Settings
    from greenline.core.port import Sandbox, Verifier
    from greenline.index.indexer import Indexer
    from greenline.index.live.client import LiveIndexClient
    from greenline.index.live.reader import IndexReader
    from greenline.index.retrieve.retriever import Filter, Found, Retriever
    from greenline.index.store import IndexStore
    from greenline.index.vector import Embedder
    from greenline.journal.checkpoint_store import CheckpointStore
    from greenline.journal.store import SqliteJournal
    from greenline.lsp.parts import Opening, Parts
    from greenline.lsp.session import Listener, Session
    from greenline.sandbox.package_store import PackageStore
    from greenline.verify.memory import Memory


def make_verifier(
    sandbox: Sandbox, settings: Settings | None = None, *, memory: Memory | None = None
) -> Verifier:
    """Return what turns patches into evidence, as the settings say, or else the defaults.

    `memory` is what one verification leaves to the next; None: nothing.
    """
    from greenline.verify.further import Further
    from greenline.verify.verifier import SandboxVerifier

    if settings is None:
        return SandboxVerifier(sandbox, memory=memory)
    further = Further(settings.bite_s, settings.coverage_threshold)
    return SandboxVerifier(sandbox, test_command=settings.test_command, further=further, memory=memory)


def open_memory() -> Memory:
    """Return what earlier verifications left, in each workspace's state folder."""
    from greenline.verify.memory import Memory

    return Memory()


def open_packages(settings: Settings) -> PackageStore:
    """Return what keeps the packages that were installed from lock files, for all workspaces."""
    from greenline.sandbox.lock_toolchain import package_store

    return package_store(settings.packages_quota_mb)


def open_journal(root: str) -> SqliteJournal:
    """Open (and make, where it is new) the journal of the workspace at `root`; raises `JournalUnusable`.

    Runs whose process is gone are marked as interrupted, so that no reader takes them for live ones.
    """
    from greenline.journal.store import SqliteJournal
    from greenline.workspace.state import state_folder

    journal = SqliteJournal(state_folder(root) / "journal.db")
    journal.mark_interrupted()
    return journal


def index_path(roots: Sequence[str]) -> Path:
    """Return where the index of a workspace with these folders lies; the order of the folders matters not."""
    from greenline.workspace.state import state_folder

    if len(roots) == 1:
        return state_folder(roots[0]) / "index.db"
    first, *others = sorted(os.path.realpath(root) for root in roots)
    digest = hashlib.sha256("\0".join(others).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return state_folder(first) / f"index-{digest}.db"


def open_indexer(roots: Sequence[str], embedder: Embedder | None = None) -> Indexer:
    """Return what keeps the index of a workspace; only one may write at a time. Loads numpy."""
    from greenline.guard.gate import Gate
    from greenline.index.indexer import Indexer

    return Indexer(index_path(roots), roots, Gate(roots), embedder)


def make_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder that the settings name; loads numpy, and a model's package where one is named."""
    from greenline.guard.secrets import known_secrets, masking
    from greenline.index.embed.choice import choose_embedder
    from greenline.model.litellm_embedder import LitellmEmbedder

    mask = masking(known_secrets(os.environ, settings.api_key))
    return choose_embedder(
        settings.embedder,
        lambda name: LitellmEmbedder(name, mask, api_base=settings.api_base, api_key=settings.api_key),
    )


def make_retriever(store: IndexStore, embedder: Embedder | None) -> Retriever:
    """Return what searches an index; each root's history is read from git when it is first asked for."""
    from greenline.index.retrieve.history import History, read_commits
    from greenline.index.retrieve.retriever import Retriever
    from greenline.workspace.state import state_folder

    @cache
    def history(root: str) -> History:
        return History(read_commits(root, state_folder(root) / "history.json"))

    return Retriever(store, embedder, history)


def search(roots: Sequence[str], settings: Settings, words: str, wanted: Filter) -> Found:
    """Bring the index of these folders up to date and search it; loads numpy.

    Where an editor keeps the index, it is searched as it is.
    """
    from contextlib import ExitStack

    from greenline.index.live.lease import hold
    from greenline.index.store import IndexStore

    embedder = make_embedder(settings)
    with hold(index_path(roots)) as lease, ExitStack() as stack:
        if lease.is_held:
            indexer = open_indexer(roots, embedder)
            stack.callback(indexer.close)
            indexer.scan()
            store = indexer.store
        else:
            store = IndexStore(index_path(roots))
            stack.callback(store.close)
        return make_retriever(store, embedder).search(words, wanted)


def open_index_reader(roots: Sequence[str], settings: Settings) -> IndexReader | None:
    """Return a run's view of the index, which is opened when it is first asked; None where it is off."""
    if not settings.index:
        return None
    from greenline.index.live.reader import IndexReader

    @cache
    def chosen() -> Embedder | None:
        return make_embedder(settings)

    return IndexReader(
        index_path(roots),
        lambda: open_indexer(roots, chosen()),
        lambda store: make_retriever(store, chosen()),
    )


def open_checkpoints(
    root: str, journal: SqliteJournal, settings: Settings, roots: Sequence[str] = ()
) -> CheckpointStore:
    """Return the checkpoints of the workspace at `root`, once what a crash cut short is settled and swept.

    So is what other journals hold of its `roots`. What cannot be settled is said on standard error.
    """
    from greenline.core.visible import visible
    from greenline.edit.reach import settle
    from greenline.edit.write import recover
    from greenline.journal.blob import BlobStore
    from greenline.journal.checkpoint_store import CheckpointStore
    from greenline.workspace.state import state_folder

    blobs = BlobStore(state_folder(root) / "blobs")
    store = CheckpointStore(journal, blobs, settings.checkpoint_quota_mb * 1024 * 1024)
    store.sweep()
    for problem in (*recover(store), *settle(roots, journal.path)):
        print(f"greenline: {visible(problem)}", file=sys.stderr)
    return store


def make_agent(settings: Settings, journal: SqliteJournal, *, n_ready: int = 0) -> Agent:
    """Return an agent with everything that it works with; `n_ready` as for `make_sandbox`."""
    from greenline.agent.agent import Agent
    from greenline.agent.limits import LoopLimits
    from greenline.agent.services import Services
    from greenline.agent.wiring import make_model, make_repairer, make_tools
    from greenline.guard.gate import Gate
    from greenline.guard.secrets import known_secrets, masking

    sandbox = make_sandbox(settings, n_ready=n_ready)
    verifier = make_verifier(sandbox, settings, memory=open_memory())
    mask = masking(known_secrets(os.environ, settings.api_key))
    model = make_model(settings, settings.model, mask)
    return Agent(
        Services(
            journal=journal,
            verifier=verifier,
            sandbox=sandbox,
            gate=Gate,
            mask=mask,
            tools=make_tools(
                settings, verifier, sandbox, mask, lambda roots: open_index_reader(roots, settings)
            ),
            model=model,
            critic=make_model(settings, settings.critic_model, mask) if model is not None else None,
            repairer=make_repairer(settings, verifier, sandbox),
            limits=LoopLimits(
                max_iterations=settings.max_iterations,
                max_turns=settings.max_turns,
                budget_usd=settings.budget_usd,
            ),
            test_limits=settings.limits,
        )
    )


def index_client(settings: Settings, log_path: Path, options: Any) -> LiveIndexClient | None:
    """Return the front's hand on the index worker, or None where the index is switched off."""
    from greenline.config.settings import client_part
    from greenline.index.live.client import LiveIndexClient

    if not settings.index:
        return None
    argv = [sys.executable, "-P", "-m", "greenline.app", "index", json.dumps(client_part(options))]
    # The libraries below numpy would start a thread for each core.
    n_threads = str(max(1, (os.cpu_count() or 1) // 2))
    limits = {f"{name}_NUM_THREADS": n_threads for name in ("OMP", "OPENBLAS", "MKL")}
    return LiveIndexClient(argv, log_path, {**limits, **os.environ})


def connect(opening: Opening) -> Parts:
    """Return the front's parts for one workspace: journal and the hand on the agent worker."""
    from greenline.agent.client import WorkerClient
    from greenline.config.settings import client_part, load_settings
    from greenline.guard.log import log_to
    from greenline.guard.secrets import known_secrets, masking
    from greenline.journal.store import SqliteJournal
    from greenline.lsp.parts import Parts
    from greenline.workspace.state import state_folder

    root = opening.roots[0] if opening.roots else str(Path.cwd())
    folder = state_folder(root)
    journal = SqliteJournal(folder / "journal.db")
    settings = load_settings(client_options=opening.options)
    # Editors keep what a server writes to standard error; what pygls tells of every message is left out.
    log_to(sys.stderr, masking(known_secrets(os.environ, settings.api_key)), "warning")
    checkpoints = open_checkpoints(root, journal, settings, opening.roots)
    # Without -P, `-m` puts the current folder first on the path: often the workspace, whose modules then run.
    argv = [sys.executable, "-P", "-m", "greenline.app", root, json.dumps(client_part(opening.options))]
    worker = WorkerClient(argv, journal, folder / "worker.log", is_warmed=settings.warm_worker)
    index = index_client(settings, folder / "index-worker.log", opening.options)
    return Parts(journal, worker, folder, checkpoints, settings.warnings, index)


def open_session(opening: Opening, listener: Listener) -> Session:
    """Return the front's state for one workspace; for the event loop that it will live on."""
    from greenline.lsp.session import Session

    parts = connect(opening)
    return Session(
        opening.roots,
        parts.journal,
        parts.agent,
        listener,
        parts.state_dir,
        parts.checkpoints,
        parts.index,
    )


def serve() -> int:
    """Serve one editor over standard input and output; return the exit code."""
    from greenline.lsp.server import serve as serve_editor

    return serve_editor(connect)


def work(root: str, options: Any) -> int:
    """Be the agent worker of the workspace at `root`, over this process's own pipes."""
    from greenline.agent.worker import serve as serve_worker
    from greenline.config.settings import load_settings
    from greenline.guard.log import log_to
    from greenline.guard.secrets import known_secrets, masking

    settings = load_settings(client_options=options)
    log_to(sys.stderr, masking(known_secrets(os.environ, settings.api_key)), settings.log_level)
    # A verification runs two containers at a time.
    return serve_worker(lambda: make_agent(settings, open_journal(root), n_ready=2))


def work_index(roots: Sequence[str], options: Any) -> int:
    """Be the index worker of these folders, over this process's own pipes."""
    from greenline.config.settings import load_settings
    from greenline.guard.gate import Gate
    from greenline.guard.log import log_to
    from greenline.guard.secrets import known_secrets, masking

    settings = load_settings(client_options=options)
    log_to(sys.stderr, masking(known_secrets(os.environ, settings.api_key)), settings.log_level)
    embedders: list[Embedder | None] = []
    _load_in_background("greenline.index.live.worker", lambda: embedders.append(make_embedder(settings)))
    from greenline.index.live.keeper import Kept
    from greenline.index.live.searcher import RetrieverFinder
    from greenline.index.live.worker import serve as serve_index

    (embedder,) = embedders
    kept = Kept(index_path(roots), tuple(roots), lambda: Gate(roots), embedder)
    return serve_index(kept, lambda store: RetrieverFinder(make_retriever(store, embedder)))


def _load_in_background(module: str, then: Callable[[], object] = lambda: None) -> None:
    """Import what a worker is made of so that everything else on the machine goes first."""
    from greenline.process.priority import in_background
    from greenline.process.server import outlive

    def load() -> None:
        importlib.import_module(module)
        then()

    in_background(load, outlive)


if __name__ == "__main__":
    if sys.argv[1] == "index":
        sys.exit(work_index(json.loads(sys.argv[3]), json.loads(sys.argv[2])))
    # The names of what a front can say are in `agent.client`, which a worker need not import.
    if sys.argv[3:]:
        _load_in_background("greenline.agent.worker")
    sys.exit(work(sys.argv[1], json.loads(sys.argv[2])))

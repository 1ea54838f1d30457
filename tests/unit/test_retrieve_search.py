"""Searches in a small project: a real index, real git, the built-in embedder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from greenline.core.error import InvalidInput
from greenline.guard.gate import Gate
from greenline.index.embed.static_embedder import StaticEmbedder
from greenline.index.indexer import Indexer
from greenline.index.retrieve import candidate
from greenline.index.retrieve.candidate import find_words
from greenline.index.retrieve.history import History, read_commits
from greenline.index.retrieve.pack import pack
from greenline.index.retrieve.query import QueryKind
from greenline.index.retrieve.repo_map import repo_map
from greenline.index.retrieve.retriever import Filter, Found, Retriever
from greenline.index.token import count_tokens

FILES = {
    "shop/cart.py": '''"""The cart of a customer."""

from shop.price import total


class Cart:
    """Holds what somebody wants to buy."""

    def __init__(self) -> None:
        self.items: list[str] = []

    def add_item(self, name: str) -> None:
        """Put an article into the cart."""
        self.items.append(name)

    def checkout(self) -> float:
        """Pay for everything."""
        return total(self.items)
''',
    "shop/price.py": '''"""What articles cost."""

VAT = 0.19


def total(items: list[str]) -> float:
    """Sum up the prices, value added tax included."""
    return sum(len(item) for item in items) * (1 + VAT)
''',
    "shop/mail.py": '''"""Letters to customers."""

from shop.cart import Cart


def send_receipt(cart: Cart, address: str) -> str:
    """Write to the customer after the payment went through."""
    return f"{address}: {cart.checkout()}"
''',
    "tests/test_cart.py": '''"""The cart is tested."""

from shop.cart import Cart


def test_checkout_adds_tax() -> None:
    cart = Cart()
    cart.add_item("cart checkout cart checkout")
    assert cart.checkout() > 0
''',
    "docs/cart.md": "# Cart\n\nHow the cart and its checkout work: the cart holds items, checkout pays.\n",
    "web/static/legacy/cart.js": "export function cart() {\n  return 'cart checkout'\n}\n",
}


def git(root: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments],
        cwd=root,
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin")
    for n in range(2):
        for path in ("shop/price.py", "shop/mail.py"):
            (root / path).write_text(f"{FILES[path]}# {n}\n")
        git(root, "commit", "-qam", f"Round quarterly rebates properly {n}")
    return root


@pytest.fixture(scope="module")
def indexer(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexer]:
    roots = [str(project)]
    made = Indexer(tmp_path_factory.mktemp("state") / "index.db", roots, Gate(roots), StaticEmbedder())
    made.scan()
    yield made
    made.close()


@pytest.fixture
def retriever(indexer: Indexer) -> Retriever:
    return Retriever(indexer.store, StaticEmbedder(), lambda root: History(read_commits(root)))


def paths(found: Found) -> list[str]:
    return [hit.chunk.file.path for hit in found.hits]


def test_code_comes_before_its_tests_and_documents(retriever: Retriever) -> None:
    found = retriever.search("cart checkout")

    assert paths(found)[0] == "shop/cart.py"
    assert {"tests/test_cart.py", "docs/cart.md"} <= set(paths(found))


def test_tests_come_first_where_they_are_asked_for(retriever: Retriever) -> None:
    assert paths(retriever.search("tests for the cart checkout"))[0] == "tests/test_cart.py"


def test_a_name_finds_its_definition_and_says_why(retriever: Retriever) -> None:
    hit = retriever.search("send_receipt").hits[0]

    assert hit.chunk.file.path == "shop/mail.py"
    assert "symbol" in hit.sources


def test_the_innermost_frame_of_a_trace_is_the_first_hit(retriever: Retriever) -> None:
    trace = (
        'Traceback:\n  File "/elsewhere/shop/mail.py", line 8, in send_receipt\n'
        '  File "/elsewhere/shop/cart.py", line 17, in checkout\nTypeError'
    )

    found = retriever.search(trace)

    assert found.query.kind is QueryKind.PLACE
    assert paths(found)[:2] == ["shop/cart.py", "shop/mail.py"]
    assert found.hits[0].chunk.start_line <= 17 <= found.hits[0].chunk.end_line
    assert found.hits[0].sources == ("place",)


def test_what_earlier_commits_of_the_same_words_touched_is_found(retriever: Retriever) -> None:
    found = retriever.search("Fix the rounding of quarterly rebates")

    assert set(paths(found)[:2]) == {"shop/price.py", "shop/mail.py"}
    assert "history" in found.hits[0].sources


def test_without_embedder_and_history_a_search_still_answers(indexer: Indexer) -> None:
    found = Retriever(indexer.store).search("value added tax")

    assert paths(found)[0] == "shop/price.py"
    assert all("vectors" not in hit.sources and "history" not in hit.sources for hit in found.hits)


def test_filters_hold(retriever: Retriever) -> None:
    assert set(paths(retriever.search("cart", Filter(path="docs/**")))) == {"docs/cart.md"}
    assert {
        hit.chunk.kind for hit in retriever.search("cart", Filter(kinds=frozenset({"function"}))).hits
    } == {"function"}
    assert len(retriever.search("cart", Filter(limit=1)).hits) == 1


@pytest.mark.parametrize("limit", [0, -1, 100_000])
def test_a_limit_out_of_range_is_refused(retriever: Retriever, limit: int) -> None:
    with pytest.raises(InvalidInput, match=str(limit)):
        retriever.search("cart", Filter(limit=limit))


@pytest.mark.parametrize("text", ["", "   ", '"', "NEAR(", "a AND", "*", "col:x", "-", "()", "\0", "日本語"])
def test_no_text_breaks_a_search(retriever: Retriever, text: str) -> None:
    assert retriever.search(text).completeness == 1.0


def test_a_saved_file_is_found_by_the_same_retriever(
    project: Path, indexer: Indexer, retriever: Retriever
) -> None:
    retriever.search("cart")
    new = project / "shop" / "voucher.py"
    new.write_text("def redeem_voucher(code: str) -> int:\n    return len(code)\n")
    try:
        indexer.update([str(new)])
        assert paths(retriever.search("redeem_voucher"))[0] == "shop/voucher.py"
    finally:
        new.unlink()
        indexer.update([str(new)])
    assert "shop/voucher.py" not in paths(retriever.search("redeem_voucher"))


def test_scores_fall_and_every_hit_has_a_reason(retriever: Retriever) -> None:
    hits = retriever.search("how is the tax of a cart computed").hits

    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.sources for hit in hits)


@pytest.mark.parametrize("budget", [0, 40, 90, 200, 2000])
def test_what_is_packed_keeps_to_the_budget_and_to_whole_functions(
    project: Path, indexer: Indexer, retriever: Retriever, budget: int
) -> None:
    found = retriever.search("cart checkout total receipt")

    packed = pack(indexer.store, found.hits, budget)

    assert packed.n_tokens <= budget
    assert count_tokens(packed.text().encode()) <= budget
    for part in packed.parts:
        source = (project / part.file.path).read_text().split("\n")
        assert source[part.start_line - 1 : part.end_line] == part.text.split("\n")
        for symbol in indexer.store.symbols_of(part.file.id) if part.is_whole else ():
            is_function = symbol.kind.value in ("function", "method")
            overlaps = symbol.start_line <= part.end_line and part.start_line <= symbol.end_line
            inside = part.start_line <= symbol.start_line and symbol.end_line <= part.end_line
            assert not (is_function and overlaps) or inside


def test_a_file_that_changed_since_is_not_packed(indexer: Indexer, retriever: Retriever) -> None:
    found = retriever.search("cart checkout")

    packed = pack(indexer.store, found.hits, 2000, lambda file: None)

    assert packed.parts == ()
    assert packed.n_left_out == len(found.hits)


@pytest.mark.parametrize("budget", [0, 15, 60, 1000])
def test_a_map_keeps_to_its_budget(indexer: Indexer, retriever: Retriever, budget: int) -> None:
    mapped = repo_map(indexer.store, retriever, budget)

    assert mapped.n_tokens <= budget
    assert count_tokens(mapped.text.encode()) <= budget


def test_a_map_shows_what_others_rest_on_and_what_the_task_is_about(
    indexer: Indexer, retriever: Retriever
) -> None:
    whole = repo_map(indexer.store, retriever, 1000)
    task = repo_map(indexer.store, retriever, 1000, "Send the receipt in another language")

    assert whole.paths[0] in ("shop/cart.py", "shop/price.py")
    assert "  class Cart:6" in whole.text.split("\n")
    assert task.paths[0] == "shop/mail.py"


def test_a_history_is_kept_until_the_branch_moves(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "history.json"
    first = read_commits(str(project), cache)
    cache.write_text(cache.read_text().replace("quarterly", "yearly"))

    assert any("yearly" in commit.subject for commit in read_commits(str(project), cache))

    git(project, "commit", "-q", "--allow-empty", "-m", "Move on")
    assert read_commits(str(project), cache) == first


def test_without_git_the_history_is_empty(tmp_path: Path) -> None:
    assert read_commits(str(tmp_path)) == ()
    assert History(()).touched(("cart",)) == {}


def test_nothing_that_the_repository_names_is_started(project: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {canary}\n")
    program.chmod(0o755)
    root = tmp_path / "copy"
    git(tmp_path, "clone", "-q", str(project), str(root))
    for key in (
        "gpg.program",
        "core.pager",
        "pager.log",
        "diff.external",
        "core.fsmonitor",
        "core.sshCommand",
    ):
        git(root, "config", key, str(program))
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "diff.x.textconv", str(program))
    (root / ".gitattributes").write_text("* diff=x\n")

    assert read_commits(str(root))
    assert not canary.exists()


def test_very_common_words_are_ranked_where_they_name_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    for number in range(30):
        name = f"violet_copper_{number}" if number < 4 else f"other_{number}"
        (root / f"m{number}.py").write_text(f"def {name}(violet):\n    return copper(violet)\n")
    indexer = Indexer(tmp_path / "index.db", [str(root)], Gate([str(root)]))
    indexer.scan()
    whole = find_words(indexer.store, ["violet", "copper"], 30, limit=3)
    monkeypatch.setattr(candidate, "_MAX_RANKED", 20)
    monkeypatch.setattr(candidate, "_ENOUGH_RANKED", 10)

    narrow = find_words(indexer.store, ["violet", "copper"], 30, limit=3)
    all_of_them = find_words(indexer.store, ["violet", "copper"], 30, limit=20)
    question = candidate._narrowed(indexer.store, ["violet"], ["violet"], 3)

    assert set(whole.scores) <= named(indexer)
    assert set(narrow.scores) <= named(indexer)
    assert len(narrow.scores) == 3
    assert question == '{name doc} : ("violet")'
    assert len(all_of_them.scores) == 20
    indexer.close()


def test_rare_words_are_asked_for_whole_beside_a_common_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "rare.py").write_text(f"def other(violet):\n    return [{'zircon, ' * 20}]\n")
    for number in range(30):
        name = f"quartz_{number}" if number < 2 else f"other_{number}"
        (root / f"m{number}.py").write_text(f"def {name}(violet):\n    return violet\n")
    indexer = Indexer(tmp_path / "index.db", [str(root)], Gate([str(root)]))
    indexer.scan()
    for name, value in (("_MAX_POSTINGS", 10), ("_MAX_RANKED", 20), ("_ENOUGH_RANKED", 10)):
        monkeypatch.setattr(candidate, name, value)

    found = find_words(indexer.store, ["zircon", "quartz", "violet"], 31, limit=2)

    sql = "SELECT p.chunk_id FROM places p JOIN files f ON f.id = p.file_id WHERE f.path = 'rare.py'"
    rare = indexer.store.connection.execute(sql).get
    assert rare in found.scores
    indexer.close()


def named(indexer: Indexer) -> set[int]:
    rows = indexer.store.connection.execute("SELECT id FROM chunks WHERE symbol LIKE 'violet_copper%'")
    return {chunk_id for (chunk_id,) in rows}

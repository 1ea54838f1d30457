"""The tools over the index: what they find, what they say of staged edits, and what they never show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from greenline.app import open_index_reader
from greenline.config.settings import Settings
from greenline.core.cancel import Cancellation
from greenline.core.port import Limits, ToolRequest
from greenline.edit.apply import Staging
from greenline.guard.gate import Gate
from greenline.index import python_names
from greenline.index.python_names import Place, leads_to
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.tool.definition import Asking, ToolContext
from greenline.tool.permission import Permission
from greenline.tool.registry import ToolBox
from greenline.verify.verifier import SandboxVerifier
from greenline.workspace.snapshot import Snapshot

NAMES = {"semantic_search", "get_outline", "find_references", "find_dependencies"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GREENLINE_STATE_DIR", str(tmp_path / "state"))
    # However busy the machine is, what is tested is the answer.
    monkeypatch.setattr(python_names, "TIMEOUT_S", 120.0)
    folder = tmp_path / "ws"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg" / "__init__.py").write_text("")
    (folder / "pkg" / "money.py").write_text(
        "class Purse:\n    def count_coins(self):\n        return sum(self.coins)\n"
    )
    (folder / "pkg" / "shop.py").write_text(
        "from pkg.money import Purse\n\n\ndef buy(purse: Purse):\n    return purse.count_coins()\n"
    )
    (folder / ".env").write_text("count_coins=secret-value\n")
    return folder


def box_of(root: Path, *, indexed: bool = True) -> ToolBox:
    settings = Settings(embedder="none", index=indexed)
    sandbox = DockerSandbox(SandboxSettings(docker_host=f"unix://{root}/none.sock"))
    snapshot = Snapshot((str(root),), {})
    context = ToolContext(
        root=str(root),
        snapshot=snapshot,
        staging=Staging(snapshot.read_bytes, str(root)),
        gate=Gate((str(root),)),
        verifier=SandboxVerifier(sandbox),
        sandbox=sandbox,
        asking=Asking(lambda _: "rejectOnce", lambda question, options: options[0]),
        label="run",
        limits=Limits(),
        cancellation=Cancellation(),
        index=open_index_reader((str(root),), settings),
    )
    return ToolBox(context, Permission("auto", lambda _: "rejectOnce"))


def call(box: ToolBox, name: str, **arguments: Any) -> str:
    answer = box.call(ToolRequest("1", name, arguments), Cancellation())
    assert not answer.failed, answer.text
    return answer.text


def test_the_tools_answer_from_an_index_that_they_make_themselves(root: Path) -> None:
    box = box_of(root)

    found = call(box, "semantic_search", query="how are the coins in a purse counted")
    outline = call(box, "get_outline", path="pkg/money.py")
    repository = call(box, "get_outline")
    uses = call(box, "find_references", symbol="Purse.count_coins").splitlines()
    edges = call(box, "find_dependencies", path="pkg/money.py").splitlines()

    assert found.startswith("pkg/money.py:1-3 Purse")
    assert "return sum(self.coins)" in found
    assert "method Purse.count_coins" in outline
    assert "pkg/money.py" in repository
    assert "class Purse:1" in repository
    assert uses[0] == "pkg/money.py:2: definition in Purse"
    assert uses[1].startswith("pkg/shop.py:5: call")
    assert edges == ["pkg/money.py imports:", "  none", "It is imported by:", "  pkg/shop.py"]


def test_a_secret_is_in_no_answer_and_staged_edits_are_spoken_of(root: Path) -> None:
    box = box_of(root)
    call(box, "edit_file", path="pkg/shop.py", search="buy", replace="purchase")

    found = call(box, "semantic_search", query="count_coins")
    uses = call(box, "find_references", symbol="count_coins")
    refused = box.call(ToolRequest("1", "get_outline", {"path": ".env"}), Cancellation())

    assert "secret-value" not in found + uses
    assert ".env" not in uses
    assert "staged edits" in uses
    assert refused.failed


def write_two_kinds_of_count(root: Path) -> None:
    (root / "pkg" / "jar.py").write_text(
        "import gi\n\n\nclass Jar:\n    def count_coins(self):\n        return 0\n"
    )
    (root / "pkg" / "visit.py").write_text(
        "from pkg.jar import Jar\nfrom pkg.money import Purse\n\n\ndef look(purse: Purse, thing):\n"
        "    jar = Jar()\n    count_coins = jar.count_coins()\n"
        "    return count_coins, purse.count_coins(), thing.count_coins()\n"
    )


def test_a_use_in_python_says_which_definition_it_leads_to(root: Path) -> None:
    write_two_kinds_of_count(root)

    uses = call(box_of(root), "find_references", symbol="Jar.count_coins").splitlines()

    jar, purse = "→ pkg/jar.py:5", "→ pkg/money.py:2"
    assert uses[0] == "pkg/jar.py:5: definition in Jar"
    assert uses[1] == f"pkg/visit.py:7: call in look {jar}"
    assert uses[2] == "pkg/visit.py:8: call in look"
    assert sorted(uses[3:]) == sorted(
        [
            "pkg/money.py:2: definition in Purse",
            f"pkg/shop.py:5: call in buy {purse}",
            "pkg/visit.py:7: mention in look → elsewhere",
            "pkg/visit.py:8: mention in look → elsewhere",
            f"pkg/visit.py:8: call in look {purse}",
        ]
    )


def test_following_a_name_imports_nothing_of_the_workspace(root: Path, tmp_path: Path) -> None:
    write_two_kinds_of_count(root)
    mark = tmp_path / "imported"
    run = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\ndef count_coins():\n    pass\n"
    for name in ("gi", "conftest", "sitecustomize", "numpy"):
        (root / f"{name}.py").write_text(run)
    (root / "use.py").write_text("import gi, numpy\ngi.count_coins()\nnumpy.count_coins()\n")

    uses = call(box_of(root), "find_references", symbol="count_coins")

    assert "use.py:2: call → gi.py:3" in uses
    assert "use.py:3: call → numpy.py:3" in uses
    assert not mark.exists()


def test_what_is_not_followed_in_time_is_known_by_its_name(root: Path, tmp_path: Path) -> None:
    path = root / "pkg" / "shop.py"
    place = Place(str(path), 5, 17)
    asked = ([place, place, Place(str(path), 99, 0)], {str(path): path.read_text()}, [str(root)])

    assert leads_to(*asked, tmp_path / "cache") == {place: frozenset({(str(root / "pkg/money.py"), 2)})}
    assert leads_to(*asked, tmp_path / "cache", timeout_s=0.001) == {}


def test_planning_may_use_them_and_without_an_index_they_are_not_offered(root: Path) -> None:
    assert {spec.name for spec in box_of(root).specs(reading_only=True)} >= NAMES
    bare = box_of(root, indexed=False)

    assert not {spec.name for spec in bare.specs(reading_only=False)} & NAMES
    assert bare.call(ToolRequest("1", "get_outline", {}), Cancellation()).failed


def test_a_map_is_drawn_within_its_budget_where_there_is_an_index(root: Path, tmp_path: Path) -> None:
    box = box_of(root)
    assert box.outline("count the coins", 1000, Cancellation()) == ""
    assert not list((tmp_path / "state").rglob("index.db"))
    call(box, "get_outline")

    whole = box.outline("count the coins", 1000, Cancellation())
    short = box.outline("count the coins", 7, Cancellation())

    assert whole.splitlines()[:2] == ["pkg/money.py", "  class Purse:1"]
    assert "pkg/shop.py" in whole
    assert short == "pkg/money.py"
    assert box_of(root, indexed=False).outline("count the coins", 1000, Cancellation()) == ""


def test_a_map_leaves_out_what_is_ignored_since_it_was_indexed(root: Path) -> None:
    call(box_of(root), "get_outline")
    (root / ".greenlineignore").write_text("pkg/money.py\n")

    assert "money" not in box_of(root).outline("count the coins", 1000, Cancellation())


def test_an_index_that_cannot_be_read_costs_the_map_alone(root: Path, tmp_path: Path) -> None:
    call(box_of(root), "get_outline")
    (path,) = (tmp_path / "state").rglob("index.db")
    for file in path.parent.glob("index.db*"):
        file.unlink()
    path.mkdir()

    assert box_of(root).outline("count the coins", 1000, Cancellation()) == ""

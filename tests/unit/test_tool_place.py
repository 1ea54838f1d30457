"""Paths over several roots: named, found where only one has them, and refused where there is a choice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.error import OutsideWorkspace
from greenline.tool.place import resolve, root_names, shown

FILES = {"/w/api/src/app.py", "/w/api/only.py", "/w/web/src/app.py", "/w/web/api/nested.py"}
ROOTS = ("/w/api", "/w/web")
NAME = st.text("abc", min_size=1, max_size=2)


def _resolve(path: str) -> str:
    return resolve(path, ROOTS, FILES.__contains__)


@pytest.mark.parametrize(
    ("path", "absolute"),
    [
        ("api/src/app.py", "/w/api/src/app.py"),
        ("./web/src/app.py", "/w/web/src/app.py"),
        ("only.py", "/w/api/only.py"),
        ("api/nested.py", "/w/web/api/nested.py"),
        ("api/new.py", "/w/api/new.py"),
        ("web", "/w/web"),
        ("/w/web/x.py", "/w/web/x.py"),
    ],
)
def test_path_is_found_in_its_root(path: str, absolute: str) -> None:
    assert _resolve(path) == absolute


@pytest.mark.parametrize(
    ("path", "candidates"),
    [("src/app.py", "api/src/app.py, web/src/app.py"), ("new.py", "api/new.py, web/new.py")],
)
def test_path_that_leaves_a_choice_is_refused_with_the_candidates(path: str, candidates: str) -> None:
    with pytest.raises(OutsideWorkspace, match=candidates) as caught:
        _resolve(path)

    assert caught.value.code == "ambiguous-root"


def test_only_root_needs_no_name() -> None:
    assert resolve("api/new.py", ("/w/api",), FILES.__contains__) == "/w/api/api/new.py"
    assert shown("/w/api", "src/app.py", ("/w/api",)) == "src/app.py"


def test_roots_of_the_same_name_are_told_apart_by_their_parents() -> None:
    assert root_names(("/a/app", "/b/app", "/b/lib")) == {
        "/a/app": "a/app",
        "/b/app": "b/app",
        "/b/lib": "b/lib",
    }


@given(st.lists(st.tuples(NAME, NAME), min_size=1, max_size=4, unique=True), NAME)
def test_what_is_shown_leads_back(folders: list[tuple[str, str]], name: str) -> None:
    roots = tuple(f"/{parent}/{folder}" for parent, folder in folders)
    files = {f"{root}/{name}" for root in roots}

    for root in roots:
        assert resolve(shown(root, name, roots), roots, files.__contains__) == f"{root}/{name}"


def test_case_is_the_one_that_others_got_wrong() -> None:
    case = Path(__file__).parents[1] / "data" / "agent" / "cases" / "36-multi-root-relative"
    roots = tuple(
        str(case / "before" / name) for name in json.loads((case / "setup.json").read_text())["roots"]
    )
    path = json.loads((case / "edit.json").read_text())["edits"][0]["path"]
    also = json.loads((case / "also.json").read_text())["path"]

    with pytest.raises(OutsideWorkspace, match=r"api/src/app\.py, web/src/app\.py"):
        resolve(path, roots, lambda p: Path(p).exists())
    assert resolve(also, roots, lambda p: Path(p).exists()) == str(case / "before" / "web" / "src" / "app.py")

"""A file is compared once with what several proposals wrote in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from greenline.edit.hunk import changed_spans
from greenline.lsp import standing
from greenline.lsp.standing import Standing

if TYPE_CHECKING:
    from greenline.journal.checkpoint_store import CheckpointStore


def test_texts_are_compared_once_for_all_proposals(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def counted(before: list[str], after: list[str]) -> object:
        calls.append(len(before))
        return changed_spans(before, after)

    monkeypatch.setattr(standing, "changed_spans", counted)
    held = Standing(cast("CheckpointStore", None), lambda path: None)

    found = [held._compare("/w/a", "a\nb\n", "a\nc\n") for _ in range(5)]

    assert calls == [2]
    assert all(each == found[0] for each in found)
    held._compare("/w/a", "a\nb\n", "a\nd\n")
    assert calls == [2, 2]

"""A short soak: a random editor beside the live index, which must end up as one built from nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import soak


@pytest.mark.asyncio
async def test_the_index_follows_a_random_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GREENLINE_STATE_DIR", "GREENLINE_EMBEDDER"):
        # The soak sets them; they are as before when the test is over.
        monkeypatch.setenv(name, "")

    done = await soak.run(20.0, 14, 60, tmp_path)

    assert done.n_rounds > 0
    assert done.faults() == []

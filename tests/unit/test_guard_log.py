"""Logs: what a library logs of a key is masked, in messages and in tracebacks."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from pathlib import Path

from greenline.guard.log import MaskingFormatter
from greenline.guard.secrets import MASK, masking

KEY = "FAKE-key-0123456789-abcdefABCDEF"


def test_key_reaches_no_log() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(MaskingFormatter(masking((KEY,))))
    logger = logging.getLogger("some.library")
    logger.addHandler(handler)
    try:
        logger.warning("called with %s", {"api_key": KEY})
        try:
            raise ValueError(f"bad key {KEY}")
        except ValueError:
            logger.exception("failed")
    finally:
        logger.removeHandler(handler)

    text = stream.getvalue()
    assert KEY[:9] not in text
    assert text.count(MASK) >= 2
    assert "Traceback" in text


def test_front_masks_what_it_writes_to_standard_error(tmp_path: Path) -> None:
    """Editors keep that in a file of their own."""
    program = (
        "import logging, sys\n"
        "from greenline.app import connect\n"
        "from greenline.lsp.parts import Opening\n"
        "connect(Opening((sys.argv[1],)))\n"
        "logging.getLogger('pygls').error('sent with %s', {'Authorization': sys.argv[2]})\n"
    )
    environment = {
        **os.environ,
        "GREENLINE_STATE_DIR": str(tmp_path / "state"),
        "GREENLINE_API_KEY": KEY,
    }

    done = subprocess.run(
        [sys.executable, "-P", "-c", program, str(tmp_path), KEY],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert KEY[:9] not in done.stderr
    assert MASK in done.stderr

"""Runs in the environment that has aider, and applies edits with its coders: one JSON line a request.

It imports nothing of ours. Only what a coder raises is a refusal; what it writes stands.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from pathlib import Path

sys.stdout, answers = sys.stderr, sys.stdout

from aider.coders.editblock_coder import EditBlockCoder  # noqa: E402
from aider.coders.udiff_coder import UnifiedDiffCoder  # noqa: E402
from aider.io import InputOutput  # noqa: E402

CODERS = {"udiff": UnifiedDiffCoder, "diff": EditBlockCoder}


def apply(form: str, folder: str, edit: str) -> bool:
    """Apply an edit to the files of a folder, which the coder all knows; return whether it raised nothing."""
    coder = object.__new__(CODERS[form])
    coder.io = InputOutput(pretty=False, yes=True, fancy_input=False)
    coder.root = folder
    coder.abs_root_path_cache = {}
    coder.abs_fnames = {str(path) for path in Path(folder).iterdir()}
    coder.fence = ("```", "```")
    coder.shell_commands = []
    coder.partial_response_content = edit
    os.chdir(folder)
    try:
        edits = coder.get_edits()
        if not edits:
            return False
        if form == "diff":
            edits = coder.apply_edits_dry_run(edits)
        coder.apply_edits(edits)
    except Exception:  # noqa: BLE001
        return False
    return True


def main() -> None:
    """Answer until the input ends."""
    print(json.dumps({"version": importlib.metadata.version("aider-chat")}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps({"claimed": apply(**json.loads(line))}), file=answers, flush=True)


if __name__ == "__main__":
    main()

"""The whole job in eglot, with no plug-in: a real Emacs, server, worker and sandbox."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from editor_page import documented, with_greenline
from step import Results, results_of

from greenline.demo.scene import sample_project

JOB = Path(__file__).parent / "emacs" / "job.el"
STEPS = re.findall(r'^  \(step "([^"]+)"', JOB.read_text("utf-8"), re.MULTILINE)
_JOB_S = 280.0


@pytest.fixture(scope="module")
def results(docker_host: str, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Do the job once, and once also where it fails; return the results of its steps by name."""
    folder = tmp_path_factory.mktemp("emacs")
    emacs = shutil.which("emacs")
    assert emacs, "No Emacs: run `bin/editors`, as `make test` does."
    environment = {**with_greenline(os.environ), "DOCKER_HOST": docker_host}
    environment |= {"GREENLINE_STATE_DIR": str(folder / "state")}
    init = folder / "init.el"
    init.write_text(documented("elisp", "eglot-server-programs"))
    # A shell's own settings would decide how Emacs reads and writes text.
    environment |= {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    environment.pop("GREENLINE_MODEL", None)
    with sample_project() as root:
        done = subprocess.run(
            [emacs, "--batch", "-Q", "-l", str(init), "-l", str(JOB), str(root)],
            env=environment,
            cwd=root,
            capture_output=True,
            text=True,
            timeout=_JOB_S,
            check=False,
        )
    found = results_of(done)
    assert found, f"Emacs ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return found


@pytest.mark.timeout(_JOB_S + 20)
@pytest.mark.parametrize("step", STEPS)
def test_in_emacs(step: str, results: Results) -> None:
    result = results.get(step)

    assert result is not None, f"Emacs ended before {step!r}"
    assert result["ok"], result["failure"]

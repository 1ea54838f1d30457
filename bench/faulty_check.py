"""Prove that each program under `bench/faulty` is a fair task; `python -m bench.faulty_check [NAME ...]`.

A folder is fair when its reference passes all of its tests, its program fails tests of both files, and its
`meta.json` says truly how large the fault is.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).parent / "faulty"
TIMEOUT_S = 20
N_WORKERS = 2
VISIBLE, KEPT = "test_visible.py", "test_kept.py"
REPORT_ONLY = ("reference", "reference.py", "meta.json", "__pycache__")
# What pytest's exit codes mean here; anything else is a broken task and not a failing test.
PASSED, FAILED = 0, 1
# An edit changes one or two lines, and a moved line shows twice.
BLOCKS_PER_FAULT, LINES_PER_FAULT = 2, 4


def main(names: list[str]) -> int:
    """Print one line for each unfair folder and a summary; return 1 when there is any."""
    folders = sorted(path for path in FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__")
    unknown = sorted(set(names) - {folder.name for folder in folders})
    if unknown:
        print(f"no such folder under {FOLDER}: {', '.join(unknown)}; names are those of its subfolders")
        return 1
    chosen = [folder for folder in folders if not names or folder.name in names]
    with ThreadPoolExecutor(N_WORKERS) as pool:
        n_bad = 0
        for folder, problems in zip(chosen, pool.map(check, chosen), strict=True):
            n_bad += bool(problems)
            if problems:
                print(f"{folder.name}: {'; '.join(problems)}", flush=True)
    print(f"{len(chosen)} programs checked, {n_bad} bad")
    return 1 if n_bad or not chosen else 0


def check(folder: Path) -> list[str]:
    """Return what is unfair about one folder, each problem as one phrase."""
    missing = [name for name in (VISIBLE, KEPT, "meta.json") if not (folder / name).is_file()]
    if missing:
        return [f"has no {name}" for name in missing]
    try:
        pairs = sources(folder)
        problems = meta_problems(folder, pairs)
    except (OSError, ValueError) as error:
        return [str(error)]
    for faulty, reference in pairs:
        for path in (faulty, reference):
            if not path.is_file():
                problems.append(f"has no {path.relative_to(folder)}")
    return problems or test_problems(folder, pairs)


def sources(folder: Path) -> list[tuple[Path, Path]]:
    """Return each faulty file beside its right version.

    Raises ValueError when `files` of `meta.json` is not a list of names inside the folder.
    """
    files = load_meta(folder).get("files")
    if files is None:
        return [(folder / "program.py", folder / "reference.py")]
    if not is_texts(files) or any(Path(name).is_absolute() or ".." in Path(name).parts for name in files):
        raise ValueError("files of meta.json must be a list of paths inside the folder")
    return [(folder / name, folder / "reference" / name) for name in files]


def load_meta(folder: Path) -> dict[str, object]:
    """Return `meta.json`; raises ValueError when it is not one JSON object."""
    try:
        meta = json.loads((folder / "meta.json").read_text("utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"meta.json is not JSON: {error}") from error
    if not isinstance(meta, dict):
        raise ValueError("meta.json must be one object")
    return meta


def is_texts(value: object) -> bool:
    """Tell whether the value is a list of texts with at least one, and none of them empty."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) and item for item in value)


def meta_problems(folder: Path, pairs: list[tuple[Path, Path]]) -> list[str]:
    """Return what `meta.json` leaves out or claims wrongly."""
    meta = load_meta(folder)
    problems = []
    title = meta.get("title")
    if not isinstance(title, str) or not title.strip() or "\n" in title:
        problems.append("title of meta.json must be one sentence")
    unknown = sorted(set(meta) - {"title", "faults", "class", "kinds", "files"})
    if unknown:
        problems.append(f"meta.json has unknown keys: {', '.join(unknown)}")
    faults = meta.get("faults")
    match meta.get("class"):
        case "repairable":
            if not isinstance(faults, int) or faults not in (1, 2):
                return [*problems, "faults of meta.json must be 1 or 2 for a repairable program"]
            if not is_texts(meta.get("kinds")):
                problems.append("kinds of meta.json must name the operators that made the faults")
            problems += size_problems(pairs, faults)
        case "beyond":
            if faults != 0:
                problems.append('faults of meta.json must be 0 for class "beyond"')
        case _:
            problems.append('class of meta.json must be "repairable" or "beyond"')
    return problems


def size_problems(pairs: list[tuple[Path, Path]], faults: int) -> list[str]:
    """Return what makes the program differ from its reference by more than its faults."""
    n_blocks = n_lines = 0
    for faulty, reference in pairs:
        if not faulty.is_file() or not reference.is_file():
            continue
        before, after = (path.read_text("utf-8").splitlines() for path in (faulty, reference))
        for tag, start, end, other_start, other_end in difflib.SequenceMatcher(
            None, before, after, autojunk=False
        ).get_opcodes():
            if tag != "equal":
                n_blocks += 1
                n_lines += max(end - start, other_end - other_start)
    if n_blocks > BLOCKS_PER_FAULT * faults or n_lines > LINES_PER_FAULT * faults:
        return [f"differs from its reference in {n_lines} lines at {n_blocks} places, for {faults} fault(s)"]
    return []


def test_problems(folder: Path, pairs: list[tuple[Path, Path]]) -> list[str]:
    """Return what the tests themselves show when they are run against both versions."""
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(*REPORT_ONLY))
        for name in (VISIBLE, KEPT):
            outcome = run_tests(copy, name)
            if outcome == PASSED:
                problems.append(f"the faulty program passes all of {name}")
            elif outcome not in (FAILED, None):
                problems.append(f"{name} cannot be run on the faulty program (pytest exit {outcome})")
        for faulty, reference in pairs:
            shutil.copyfile(reference, copy / faulty.relative_to(folder))
        for name in (VISIBLE, KEPT):
            outcome = run_tests(copy, name)
            if outcome != PASSED:
                told = "runs too long" if outcome is None else f"pytest exit {outcome}"
                problems.append(f"the reference does not pass {name} ({told})")
    return problems


def run_tests(copy: Path, name: str) -> int | None:
    """Return pytest's exit code for one test file, or None when it ran out of time."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", name]
    # Plugins of this project's own environment are absent where the engine runs the tests, and a byte code
    # file could outlive the source that is replaced within the same second.
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return subprocess.run(
            command,
            cwd=copy,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

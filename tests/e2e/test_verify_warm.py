"""A base that is known from before: what is run of it then, and when it is not believed."""

from __future__ import annotations

import subprocess
import time
import uuid
from pathlib import Path

import attrs
import docker
import pytest
from bench.text_patch import TextPatch
from verify_case import make_verifier

from greenline.core.cancel import Cancellation
from greenline.core.evidence import Evidence, Outcome, Verdict
from greenline.core.port import Limits, StagedFile, VerifyRequest
from greenline.sandbox.container_arguments import LABEL_RUN
from greenline.verify.base_cache import BaseCache
from greenline.verify.flaky_memory import FlakyMemory
from greenline.verify.memory import Memory
from greenline.verify.verifier import SandboxVerifier
from greenline.workspace.state import state_folder

FILES = {
    "calc.py": "def low(x):\n    return x <= 3\n\n\ndef twice(x):\n    return x + x + 1\n",
    "tests/test_calc.py": "from calc import low, twice\n\n\ndef test_low():\n    assert low(3)\n"
    "\n\ndef test_twice():\n    assert twice(4) == 8\n",
}
ALIKE = TextPatch("alike", FILES, {"calc.py": FILES["calc.py"].replace("x <= 3", "not x > 3")})
FIX = TextPatch("fix", FILES, {"calc.py": FILES["calc.py"].replace("x + x + 1", "x + x")})
TWICE = "tests/test_calc.py::test_twice"


@attrs.frozen
class Measured:
    """One verification."""

    evidence: Evidence
    n_started: int
    """How many containers it started."""
    said: tuple[str, ...]

    @property
    def is_known(self) -> bool:
        """Whether its base was measured before."""
        assert self.evidence.base is not None
        return self.evidence.base.measured_at is not None


def measure(verifier: SandboxVerifier, request: VerifyRequest) -> Measured:
    label = f"test-{uuid.uuid4().hex}"
    said: list[str] = []
    client = docker.from_env()
    since = int(time.time())
    evidence = verifier.verify(attrs.evolve(request, label=label), Cancellation(), said.append)
    filters = {"event": "start", "label": f"{LABEL_RUN}={label}"}
    started = list(client.events(since=since, until=int(time.time()) + 1, filters=filters))
    client.close()
    return Measured(evidence, len(started), tuple(said))


@pytest.fixture
def warm() -> SandboxVerifier:
    # On a busy machine the affected tests of a short suite would be run before it, in further containers.
    return make_verifier(memory=Memory(), first_s=600.0)


def request(patch: TextPatch, root: Path) -> VerifyRequest:
    return patch.request(root, "", 60)


def kept(root: Path) -> list[Path]:
    return sorted((state_folder(str(root)) / "bases").glob("*"))


def test_a_base_that_is_known_starts_no_container(warm: SandboxVerifier, tmp_path: Path) -> None:
    before = time.time()
    first = measure(warm, request(ALIKE, tmp_path))
    again = measure(warm, request(ALIKE, tmp_path))

    assert (first.evidence.verdict, first.n_started, first.is_known) == (Verdict.VERIFIED, 2, False)
    assert (again.evidence.verdict, again.n_started, again.is_known) == (Verdict.VERIFIED, 1, True)
    assert first.evidence.base is not None and again.evidence.base is not None
    assert attrs.evolve(again.evidence.base, measured_at=None) == first.evidence.base
    assert before <= (again.evidence.base.measured_at or 0.0) <= time.time()
    assert [hunk.tests for hunk in again.evidence.hunks] == [("tests/test_calc.py::test_low",)]
    assert any("ran at" in sentence for sentence in again.said)


def test_what_differs_is_run_again_on_both_sides(warm: SandboxVerifier, tmp_path: Path) -> None:
    measure(warm, request(ALIKE, tmp_path))
    fix = measure(warm, request(FIX, tmp_path))

    assert (fix.evidence.verdict, fix.n_started, fix.is_known) == (Verdict.VERIFIED, 2, True)
    assert fix.evidence.fixed == (TWICE,)
    assert "Running the test that differs again." in fix.said


def test_a_base_that_its_repeats_contradict_is_measured_anew(warm: SandboxVerifier, tmp_path: Path) -> None:
    """What is known says that a test failed which passes: as after a change that no hash can see."""
    measure(warm, request(ALIKE, tmp_path))
    (path,) = kept(tmp_path)
    cache = BaseCache()
    known = cache.get(str(tmp_path), path.stem)
    assert known is not None
    lines = known.result.report.splitlines(keepends=True)
    turned = [
        line.replace(b'"passed"', b'"failed"') if b"test_low" in line and b'"test"' in line else line
        for line in lines
    ]
    assert turned != lines
    cache.put(str(tmp_path), path.stem, attrs.evolve(known.result, report=b"".join(turned)))

    again = measure(warm, request(ALIKE, tmp_path))

    assert (again.evidence.verdict, again.evidence.fixed, again.is_known) == (Verdict.VERIFIED, (), False)
    assert again.evidence.base is not None
    assert again.evidence.base.outcome_of("tests/test_calc.py::test_low") is Outcome.PASSED
    # P, the repeats of what seemed to differ, and all of the base again.
    assert again.n_started == 3


def in_file(request: VerifyRequest) -> VerifyRequest:
    files = {**request.base, "data.txt": StagedFile(b"more\n")}
    return attrs.evolve(request, base=files)


def in_mode(request: VerifyRequest) -> VerifyRequest:
    files = {
        **request.base,
        "tests/test_calc.py": attrs.evolve(request.base["tests/test_calc.py"], mode=0o755),
    }
    return attrs.evolve(request, base=files)


def in_limit(request: VerifyRequest) -> VerifyRequest:
    return attrs.evolve(request, limits=Limits(wall_s=61))


def in_environment(request: VerifyRequest) -> VerifyRequest:
    (packages,) = Path(request.root).glob(".venv/lib/python3*/site-packages")
    (packages / "more.py").write_text("")
    return request


def on_demand(request: VerifyRequest) -> VerifyRequest:
    return attrs.evolve(request, fresh=True)


CHANGES = (in_file, in_mode, in_limit, on_demand, in_environment)


def test_the_base_is_measured_where_anything_is_another(warm: SandboxVerifier, tmp_path: Path) -> None:
    command = ["/usr/bin/python3", "-m", "venv", "--without-pip", str(tmp_path / ".venv")]
    subprocess.run(command, check=True, capture_output=True)
    asked = request(ALIKE, tmp_path)
    measure(warm, asked)

    others = {change.__name__: measure(warm, change(asked)) for change in CHANGES}

    assert {name: (o.n_started, o.is_known) for name, o in others.items()} == {
        change.__name__: (2, False) for change in CHANGES
    }


def test_a_base_with_a_test_that_is_known_to_be_flaky_is_not_served(
    warm: SandboxVerifier, tmp_path: Path
) -> None:
    measure(warm, request(ALIKE, tmp_path))
    FlakyMemory().record(str(tmp_path), {"base": [TWICE]})

    fix = measure(warm, request(FIX, tmp_path))

    assert (fix.evidence.verdict, fix.n_started, fix.is_known) == (Verdict.VERIFIED, 2, False)
    assert fix.evidence.known_flaky == (TWICE,)
    words = f"{TWICE} is known to be flaky (once, "
    assert any(warning.startswith(words) for warning in fix.evidence.warnings)
    assert kept(tmp_path) == []


COIN = """import os

import pytest


@pytest.mark.parametrize("n", range(24))
def test_coin(n):
    assert os.urandom(1)[0] < 128
"""
ONCE = "import calc\n\n\ndef test_one():\n    assert calc.gather(1)[-1] == 1\n"
ONCE += "\n\ndef test_two():\n    assert calc.gather(2) == [2]\n"
SHARED = "def gather(item, found=[]):\n    found.append(item)\n    return found\n"
UNSTABLE = {
    "flaky": TextPatch("coin", {**FILES, "tests/test_coin.py": COIN}, ALIKE.patch),
    "depends on its order": TextPatch(
        "order",
        {"calc.py": SHARED, "tests/test_once.py": ONCE},
        {"calc.py": SHARED.replace("    found.append", "    found = []\n    found.append")},
    ),
}


@pytest.mark.parametrize("patch", UNSTABLE.values(), ids=UNSTABLE)
def test_a_base_that_does_not_always_say_the_same_is_not_kept(
    warm: SandboxVerifier, tmp_path: Path, patch: TextPatch
) -> None:
    first = measure(warm, request(patch, tmp_path))

    known = FlakyMemory().known(str(tmp_path))
    assert first.evidence.flaky or any("depends on" in warning for warning in first.evidence.warnings)
    assert kept(tmp_path) == []
    assert {test for test, found in known.items() if found.is_flaky} == set(first.evidence.flaky)
    assert known


def test_what_tests_do_beside_other_tests_of_a_patch_is_not_remembered_of_them(
    warm: SandboxVerifier, tmp_path: Path
) -> None:
    calm = COIN.replace("os.urandom(1)[0] < 128", "os.getpid()")
    patch = {**ALIKE.patch, "tests/test_coin.py": COIN}

    evidence = measure(
        warm, request(TextPatch("coin", {**FILES, "tests/test_coin.py": calm}, patch), tmp_path)
    ).evidence

    assert evidence.flaky
    assert FlakyMemory().known(str(tmp_path)) == {}


def test_a_base_that_does_not_complete_is_not_kept(warm: SandboxVerifier, tmp_path: Path) -> None:
    files = {**FILES, "tests/test_exit.py": "import os\n\n\ndef test_exit():\n    os._exit(0)\n"}

    first = measure(warm, request(TextPatch("exits", files, ALIKE.patch), tmp_path))

    assert first.evidence.verdict is Verdict.COULD_NOT_RUN
    assert kept(tmp_path) == []

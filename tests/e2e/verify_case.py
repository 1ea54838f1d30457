"""One patch over one small project, and the evidence that the real sandbox gives for it."""

from __future__ import annotations

import os
from pathlib import Path

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Evidence
from greenline.core.port import Limits, StagedFile, VerifyRequest
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.verifier import SandboxVerifier


@attrs.frozen
class PatchCase:
    """A patch over a small project, and the verdict it must get."""

    name: str
    files: dict[str, str]
    patch: dict[str, str | None]
    verdict: str
    reason: str = ""


def make_verifier(**options: str) -> SandboxVerifier:
    """Return a verifier over the system's own interpreter, without an environment of somebody's."""
    kept = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    sandbox = DockerSandbox(SandboxSettings(environment={**kept, "PATH": "/usr/bin:/bin"}))
    return SandboxVerifier(sandbox, **options)


def measure(verifier: SandboxVerifier, root: Path, case: PatchCase, wall_s: float = 60) -> Evidence:
    """Verify the case's patch in the project at `root`, whose files need not be there."""
    base = {path: StagedFile(text.encode()) for path, text in case.files.items()}
    changes = tuple(
        FileChange(
            str(root / path),
            base[path].content if path in base else None,
            None if text is None else text.encode(),
        )
        for path, text in sorted(case.patch.items())
    )
    request = VerifyRequest(str(root), base, EditSet(changes), (), (), "test", Limits(wall_s=wall_s))
    return verifier.verify(request, Cancellation(), lambda _: None)


def assert_verdict(evidence: Evidence, case: PatchCase) -> None:
    """Compare the verdict, and the reason where the case names one; a failure shows the whole evidence."""
    seen = (evidence.verdict.value, evidence.reason if case.reason else "")
    assert seen == (case.verdict, case.reason), (
        evidence.reason,
        evidence.detail,
        evidence.base,
        evidence.patched,
        evidence.new_tests,
        evidence.old_tests,
    )

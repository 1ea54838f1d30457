"""What of a patch may be verified: no file of secrets enters a container by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenline.core.error import EditRejected, InvalidInput
from greenline.core.evidence import Evidence, Verdict
from greenline.guard.gate import Gate
from greenline.verify.patch import GatedPatch
from greenline.workspace.snapshot import Snapshot

CODE = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
SECRET = "diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -2 +2 @@\n-DEBUG=1\n+DEBUG=0\n"
RENAME = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".env").write_text("PASSWORD=hunter2\nDEBUG=1\n")
    (tmp_path / "a.py").write_text("x = 1\n")
    return tmp_path


def gated(root: Path, diff: str) -> GatedPatch:
    gate = Gate((str(root),))
    return GatedPatch.of_diff(diff, Snapshot((str(root),)).read_bytes, str(root), gate.may_stage)


@pytest.mark.parametrize(
    ("diff", "name"),
    [
        (SECRET, ".env"),
        (SECRET.replace("-DEBUG=1", "-GUESS=1"), ".env"),
        ("--- a/.env\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-PASSWORD=hunter2\n-DEBUG=1\n", ".env"),
        ("--- /dev/null\n+++ b/keys/id_rsa\n@@ -0,0 +1 @@\n+key\n", "keys/id_rsa"),
        (RENAME.format(".env", "plain.txt"), ".env"),
        (RENAME.format("a.txt", ".env.local"), ".env.local"),
        (SECRET.replace("/.env", "/alias.txt"), ".env"),
    ],
)
def test_a_file_of_secrets_is_left_out_whatever_the_patch_does_to_it(
    root: Path, diff: str, name: str
) -> None:
    (root / "a.txt").write_text("a\n")
    (root / "alias.txt").symlink_to(".env")

    patch = gated(root, diff + CODE)

    assert [Path(change.path).name for change in patch.edit_set.changes] == ["a.py"]
    assert patch.withheld == (name,)
    assert patch.told(Evidence(Verdict.VERIFIED, "", "")).warnings == (
        f"Left out of the patch, as files of secrets: {name}.",
    )


def test_a_patch_of_secrets_alone_is_refused_by_name(root: Path) -> None:
    with pytest.raises(InvalidInput, match=r"files of secrets: \.env\."):
        gated(root, SECRET).check()


def test_a_patch_of_other_files_is_whole(root: Path) -> None:
    harmless = "--- /dev/null\n+++ b/.env.example\n@@ -0,0 +1 @@\n+DEBUG=0\n"

    patch = gated(root, harmless + CODE)

    assert (len(patch.edit_set.changes), patch.withheld) == (2, ())
    patch.check()
    evidence = Evidence(Verdict.VERIFIED, "", "")
    assert patch.told(evidence) is evidence


def test_an_error_in_another_file_refuses_the_whole_patch(root: Path) -> None:
    with pytest.raises(EditRejected):
        gated(root, SECRET + CODE.replace("x = 1", "y = 1"))


def test_a_comment_of_a_patch_that_is_only_measured_stands_for_nothing(root: Path) -> None:
    (root / "a.py").write_text("def f():\n    x = 1\n    y = 2\n    return x + y\n")
    diff = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,3 @@\n def f():\n"
        "-    x = 1\n-    y = 2\n-    return x + y\n+    # ... other fields.\n+    return 3\n"
    )

    (change,) = gated(root, diff).edit_set.changes

    assert change.after == b"def f():\n    # ... other fields.\n    return 3\n"

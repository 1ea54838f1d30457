"""What root's tests need to try what somebody without rights can do: folders for all, and a step down."""

from __future__ import annotations

import encodings.ascii
import encodings.idna
import encodings.latin_1
import os
import pickle
import shutil
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from greenline.sandbox.package_data import sandbox_folder

SOMEBODY = 64010
SYSTEM_PYTHON = "/usr/bin/python3"
"""An interpreter that everybody can run; the one of the tests may lie in root's home."""
_LOADED = (encodings.ascii, encodings.idna, encodings.latin_1)
"""Loaded while they can be read."""
Result = TypeVar("Result")


@contextmanager
def open_folder(prefix: str) -> Iterator[Path]:
    """Yield a folder that everybody can look into; pytest's own are their user's alone."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def shipped_for_all(folder: Path) -> Iterator[None]:
    """Have the parts that go into sandboxes lie where everybody can read them, and a Python beside them."""
    source = sandbox_folder()
    for name in ("runner", "toolbox"):
        shutil.copytree(source / name, folder / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("greenline.sandbox.inside.sandbox_folder", lambda: folder)
        patch.setattr(sys, "executable", SYSTEM_PYTHON)
        patch.setattr(tempfile, "tempdir", "/tmp")
        yield


def as_somebody(work: Callable[[], Result]) -> Result:
    """Return what `work` returns in a child without root's rights; its imports must have been made."""
    if os.getuid() != 0:
        return work()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # The child has this thread alone, and needs no lock of another.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(SOMEBODY)
            os.setuid(SOMEBODY)
            os.environ["HOME"] = "/"
            said = pickle.dumps((work(), None))
        except BaseException:  # noqa: BLE001 (the child's boundary)
            said = pickle.dumps((None, traceback.format_exc()))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(said)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    assert said, "the child died"
    result, failure = pickle.loads(said)
    assert failure is None, failure
    return result  # type: ignore[no-any-return]

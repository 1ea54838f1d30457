"""Programs that get the descriptors that they are to have, and nothing else of ours."""

from __future__ import annotations

import os
import signal

from greenline.sandbox.launch import launch


def _run(script: str, **more: int) -> tuple[str, int]:
    reading, writing = os.pipe()
    numbers = {int(name.removeprefix("n")): number for name, number in more.items()}
    nothing = os.open(os.devnull, os.O_RDONLY)
    child = launch(["/bin/sh", "-c", script], {0: nothing, 1: writing, 2: writing, **numbers})
    os.close(writing)
    os.close(nothing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    return said, child.wait()


def test_descriptors_are_numbered_as_asked_and_others_are_closed() -> None:
    left_open = os.open("/", os.O_RDONLY)
    os.set_inheritable(left_open, True)
    memory = os.memfd_create("fed")
    os.write(memory, b"fed\n")
    os.lseek(memory, 0, os.SEEK_SET)

    said, code = _run("read -r word <&7; echo $word; ls /proc/self/fd", n7=memory)

    os.close(left_open)
    os.close(memory)
    # `ls` has its own at the folder that it lists.
    assert said.split() == ["fed", "0", "1", "2", "3", "7"]
    assert code == 0


def test_signals_that_python_sets_aside_are_as_usual() -> None:
    said, _ = _run("grep SigIgn /proc/self/status")

    assert int(said.split()[1], 16) & 1 << (signal.SIGPIPE - 1) == 0


def test_a_killed_child_is_told_and_can_be_killed_again() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    child = launch(["/bin/sleep", "60"], {0: nothing, 1: nothing, 2: nothing})
    os.close(nothing)

    child.kill()

    assert child.wait() == -signal.SIGKILL
    child.kill()
    assert child.wait() == -signal.SIGKILL

"""A tree goes into a container as it is: any name, mode, link and content, without what is mounted."""

from __future__ import annotations

import io
import tarfile

from hypothesis import given
from hypothesis import strategies as st

from greenline.core.port import StagedFile
from greenline.sandbox.staging import tar_blocks

PARTS = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=60
).filter(lambda part: part not in (".", ".."))
LONG = st.builds(lambda part, n: part * n, st.sampled_from(["ab", "é"]), st.integers(1, 130))
PATHS = st.lists(PARTS | LONG, min_size=1, max_size=3).map("/".join)
FILES = st.builds(
    lambda content, mode, link: StagedFile(b"" if link else content, mode, link),
    st.binary(max_size=1100),
    st.integers(0, 0o777),
    st.none() | PATHS,
)


def unpacked(tree: dict[str, StagedFile], skipped: tuple[str, ...] = ()) -> dict[str, StagedFile]:
    """Return what another reader makes of the stream; the mode of a link says nothing."""
    data = b"".join(tar_blocks(tree, skipped))
    assert len(data) % tarfile.RECORDSIZE == 0
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for entry in tar:
            if entry.issym():
                found[entry.name] = StagedFile(link=entry.linkname)
            else:
                content = tar.extractfile(entry)
                assert content is not None
                found[entry.name] = StagedFile(content.read(), entry.mode)
    return found


def as_staged(file: StagedFile) -> StagedFile:
    if file.link is not None:
        return StagedFile(link=file.link)
    return StagedFile(file.content, file.mode | 0o600)


@given(st.dictionaries(PATHS, FILES, max_size=6))
def test_a_tree_is_read_back_as_it_was(tree: dict[str, StagedFile]) -> None:
    assert unpacked(tree) == {path: as_staged(file) for path, file in tree.items()}


def test_what_is_mounted_is_left_out() -> None:
    names = ("a.py", "node_modules/x.js", "web/node_modules/y.js", "node_modules_of/z.js", "web/w.js")
    tree = {name: StagedFile(b"1", 0o644) for name in names}

    left = unpacked(
        {**tree, "env": StagedFile(link="/elsewhere")}, ("node_modules", "web/node_modules", "env")
    )

    assert set(left) == {"a.py", "node_modules_of/z.js", "web/w.js"}


def test_a_large_tree_comes_in_blocks() -> None:
    tree = {f"f{number}": StagedFile(bytes(300_000)) for number in range(10)}

    blocks = list(tar_blocks(tree, ()))

    assert len(blocks) == 3
    assert max(map(len, blocks)) < 1_500_000
    assert unpacked(tree) == {path: as_staged(file) for path, file in tree.items()}

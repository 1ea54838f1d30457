import pytest
from program import Role, User, check, require

viewer = Role("viewer", grants=["doc.read"])
editor = Role("editor", grants=["doc.*"], denies=["doc.delete"], parent=viewer)


def test_single_permission():
    assert check(User("ann", viewer), "doc.read")
    assert not check(User("ann", viewer), "doc.write")


def test_all_are_required():
    user = User("bob", viewer)
    assert not check(user, "doc.read", "doc.write")


def test_denied_beats_wildcard():
    user = User("cy", editor)
    assert check(user, "doc.write", "doc.read")
    assert not check(user, "doc.delete")


def test_require_names_what_is_missing():
    with pytest.raises(PermissionError, match="ann lacks doc.write"):
        require(User("ann", viewer), "doc.read", "doc.write")

import pytest
from program import Role, User, check, require

base = Role("base", grants=["page.view", "page.share"])
member = Role("member", grants=["post.*"], denies=["page.share"], parent=base)
moderator = Role("moderator", grants=["post.delete.any", "page.share"], parent=member)


def test_nothing_required():
    assert check(User("a"))
    require(User("a"))


def test_no_roles():
    assert not check(User("a"), "page.view")


def test_inherited():
    assert check(User("a", member), "page.view", "post.write")
    assert not check(User("a", member), "page.view", "admin.panel")
    assert not check(User("a", member), "admin.panel", "page.view")


def test_denied_below_grant_above():
    assert not check(User("a", member), "page.share")
    assert check(User("a", base), "page.share")


def test_child_grants_again():
    assert check(User("a", moderator), "page.share", "post.delete.any", "page.view")


def test_roles_add_up():
    user = User("a", Role("x", grants=["x.*"]), Role("y", grants=["y.1"]))
    assert check(user, "x.9", "y.1")
    assert not check(user, "x.9", "y.2")


def test_one_role_denies_another_grants():
    user = User("a", Role("x", denies=["k"]), Role("y", grants=["k"]))
    assert check(user, "k")


def test_case_counts():
    assert not check(User("a", base), "Page.View")


def test_deny_and_grant_in_one_role():
    assert not check(User("a", Role("x", grants=["k"], denies=["k"])), "k")


def test_require_message():
    with pytest.raises(PermissionError, match="^a lacks q, r$"):
        require(User("a", base), "q", "page.view", "r")
    assert require(User("a", base), "page.view") is None


def test_name_and_lineage():
    assert moderator.name == "moderator"
    assert [role.name for role in moderator.lineage()] == ["moderator", "member", "base"]
    assert User("a", base).name == "a"

"""Role based permission checks with inheritance and wildcards."""

from fnmatch import fnmatchcase


class Role:
    def __init__(self, name, grants=(), denies=(), parent=None):
        self.name = name
        self.grants = set(grants)
        self.denies = set(denies)
        self.parent = parent

    def lineage(self):
        role = self
        while role is not None:
            yield role
            role = role.parent

    def allows(self, permission):
        """The nearest role that mentions the permission decides; a denial wins there."""
        for role in self.lineage():
            if any(fnmatchcase(permission, pattern) for pattern in role.denies):
                return False
            if any(fnmatchcase(permission, pattern) for pattern in role.grants):
                return True
        return False


class User:
    def __init__(self, name, *roles):
        self.name = name
        self.roles = roles

    def can(self, permission):
        return any(role.allows(permission) for role in self.roles)


def check(user, *required):
    return all(user.can(permission) for permission in required)


def require(user, *required):
    missing = [permission for permission in required if not user.can(permission)]
    if missing:
        raise PermissionError(f"{user.name} lacks {', '.join(missing)}")

"""Which of pytest's plugins somebody installed, which the project configures, and which nobody named."""

import os
import sys
import types


class Plugins:
    """The plugins of one pytest; `named` are those of `-p`, as the command line and `addopts` give them."""

    def __init__(self, manager, root, named):
        self._manager = manager
        self._root = root
        self._named = tuple(named)

    def strange(self):
        """Yield plugins that nobody installed; a `conftest.py` is one that a patch may be seen to touch."""
        installed, configured = self._installed(), self._configured()
        for plugin in self._manager.get_plugins():
            holder = plugin.__name__ if isinstance(plugin, types.ModuleType) else type(plugin).__module__
            own = holder.partition(".")[0] in ("_pytest", "greenline_runner")
            if not own and id(plugin) not in installed and id(plugin) not in configured:
                yield (
                    holder
                    if isinstance(plugin, types.ModuleType)
                    else f"{holder}.{type(plugin).__qualname__}"
                )

    def rewriters(self):
        """Return the files of the project's own plugins that see a test's report before people do."""
        files = set()
        configured = self._configured()
        hooks = self._manager.hook
        for hook in (hooks.pytest_runtest_makereport, hooks.pytest_runtest_logreport):
            for implementation in hook.get_hookimpls():
                if id(implementation.plugin) in configured:
                    files.add(in_tree(self._root, getattr(implementation.plugin, "__file__", None)))
        return sorted(files - {""})

    def _installed(self):
        """Return the identities of plugins whose distribution is described outside of the project's files.

        The root is on the path, so that a description in the tree would install whatever a patch likes.
        """
        return {
            id(plugin)
            for plugin, distribution in self._manager.list_plugin_distinfo()
            if not in_tree(self._root, str(distribution.locate_file("")))
        }

    def _configured(self):
        """Return the identities of each `conftest.py`, and of what it or an option names as a plugin."""
        modules = [p for p in self._manager.get_plugins() if isinstance(p, types.ModuleType)]
        left = [m for m in modules if os.path.basename(str(getattr(m, "__file__", ""))) == "conftest.py"]
        left += [sys.modules[name] for name in self._named if name in sys.modules]
        found = {}
        while left:
            module = left.pop()
            if id(module) not in found:
                found[id(module)] = module
                named = getattr(module, "pytest_plugins", ())
                names = named.split(",") if isinstance(named, str) else tuple(named)
                left += [sys.modules[name] for name in names if name in sys.modules]
        return found.keys()


def in_tree(root, path):
    """Return a path relative to the project; empty where it lies outside, or in its environment."""
    path, root, prefix = (os.path.realpath(p) + os.sep for p in (path or os.sep, root, sys.prefix))
    if not path.startswith(root) or (prefix.startswith(root) and path.startswith(prefix)):
        return ""
    return path[len(root) :].replace(os.sep, "/").rstrip("/") or "."

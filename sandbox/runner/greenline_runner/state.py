"""What of the project's state in memory could let one candidate's tests change the next one's.

Many programs have none, and then one process can try many candidates. What is not understood counts as
state that may have changed.
"""

import collections
import functools
import os
import threading
import types

_MOST = 20_000
_VALUES = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented), range, slice)
_LISTS = (list, tuple, set, frozenset, collections.deque)
_DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
_FIXED_MODULES = frozenset(
    """abc _collections dataclasses datetime decimal enum fractions functools logging pathlib pytest _pytest
    re types typing unittest zoneinfo""".split()  # noqa: SIM905 - a list of words
)
_SKIPPED = frozenset(
    """_abc_impl __annotations__ __builtins__ __dataclass_fields__ __dataclass_params__ __doc__ __loader__
    __spec__""".split()  # noqa: SIM905 - a list of words
)


class Unknown(Exception):
    """There is an object whose state cannot be seen, or too many."""


def state(modules):
    """Return what modules hold, for comparison; raises `Unknown`."""
    found = [os.getcwd(), dict(os.environ), threading.active_count()]
    walk = _Walk(found)
    for module in modules:
        walk.names(vars(module))
    return found


class _Walk:
    def __init__(self, found):
        self._found = found
        self._seen = set()

    def names(self, values):
        for name, value in list(values.items()):
            if name not in _SKIPPED and not name.startswith("@py"):
                self._found.append(name)
                self.value(value)

    def value(self, value):
        kind = type(value)
        self._found.append(value if kind in _VALUES else id(value))
        if kind in _VALUES or id(value) in self._seen:
            return
        self._seen.add(id(value))
        if len(self._found) > _MOST:
            raise Unknown
        if kind in _LISTS or kind in _DICTS:
            self._items(value)
        elif kind is types.FunctionType:
            self._function(value)
        elif isinstance(value, functools._lru_cache_wrapper):
            self._found.append(value.cache_info())
        elif isinstance(value, type):
            if not _is_fixed(value):
                self.names(vars(value))
        elif not _is_fixed(kind) and not isinstance(value, types.ModuleType):
            self._instance(value)

    def _items(self, value):
        self._found.append(len(value))
        for item in value:
            self.value(item)
            if isinstance(value, dict):
                self.value(value[item])

    def _function(self, function):
        self.value(function.__defaults__)
        self.value(function.__kwdefaults__)
        self.names(vars(function))
        for cell in function.__closure__ or ():
            try:
                self.value(cell.cell_contents)
            except ValueError:
                continue

    def _instance(self, value):
        slots = [slot for kind in type(value).__mro__ for slot in _slots(kind)]
        own = getattr(value, "__dict__", None)
        if isinstance(value, (*_LISTS, dict)):
            self._items(value)
        elif not isinstance(own, dict) and not slots:
            raise Unknown
        if isinstance(own, dict):
            self.names(own)
        for slot in slots:
            self.value(getattr(value, slot, None))


def _slots(kind):
    found = vars(kind).get("__slots__", ())
    names = (found,) if isinstance(found, str) else tuple(found)
    return [name for name in names if not name.startswith("__")]


def _is_fixed(kind):
    """Return whether instances of a type (or the type, as a value) are never changed by what tests do."""
    module = kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
    if module in _FIXED_MODULES:
        return True
    if module == "builtins":
        return kind not in (bytearray, memoryview, types.GeneratorType, types.CoroutineType) and not hasattr(
            kind, "__next__"
        )
    return False

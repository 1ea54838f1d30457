"""A pytest item as the plain call that it comes to, where nothing but its own function is involved.

The call is much cheaper than pytest's protocol around it. It only sorts candidates out: what passes so is
run by pytest afterwards.
"""

import inspect

_DIRECT = "get_direct_param_fixture_func"


def bare_call(item):
    """Return a function that runs an item's test, or None where it needs fixtures, marks or plug-ins."""
    function = getattr(item, "function", None)
    if function is None or type(item).__name__ != "Function":
        return None
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return None
    if any(mark.name != "parametrize" for mark in item.iter_markers()):
        return None
    wanted = {name for name in inspect.signature(item.obj).parameters}
    given = _parameters(item)
    if wanted != set(given) or set(item.fixturenames) - wanted - {"request"}:
        return None
    cls, name = getattr(item, "cls", None), function.__name__

    def call():
        # A method gets an instance of its own, as it does from pytest.
        test = function if cls is None else getattr(cls(), name)
        test(**given)

    return call


def _parameters(item):
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return {}
    if getattr(callspec, "funcargs", None):
        return dict(callspec.funcargs)
    definitions = item._fixtureinfo.name2fixturedefs
    return {
        name: value
        for name, value in callspec.params.items()
        if name in definitions and definitions[name][-1].func.__name__ == _DIRECT
    }

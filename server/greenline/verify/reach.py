"""Which Python of the product reaches into the run that tests it; pure.

It watches or replaces what the tests call, reads what they expect from frames, memory or their text, or
answers their imports. There are honest uses, so a finding is a reason to read the change, and no more.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from greenline.verify.folded import Modules, is_of_runner, is_outside, last_name, text_of

Found = tuple[str, int]
"""What it is, and its 1-based line."""
_KINDS = {
    "watches what is called": (
        "setprofile", "settrace", "setprofile_all_threads", "settrace_all_threads", "gettrace", "getprofile",
        "monitoring", "addaudithook", "f_trace", "f_trace_opcodes",
    ),
    "looks into its callers": (
        "_getframe", "currentframe", "_current_frames", "walk_stack", "walk_tb", "getouterframes",
        "getinnerframes", "f_back", "f_locals", "tb_frame", "co_consts",
    ),
    "searches the memory": ("get_objects", "get_referrers", "get_referents", "pythonapi", "py_object"),
    "answers imports": ("meta_path", "path_hooks", "path_importer_cache"),
    "writes compiled modules": ("MAGIC_NUMBER",),
    "skips the test that calls it": ("SkipTest", "importorskip"),
}  # fmt: skip
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}
_MODULE_OF = {
    "monitoring": "sys",
    "MAGIC_NUMBER": "importlib",
    "get_objects": "gc",
    "walk_stack": "traceback",
}
"""Whose these must be: the name alone says too little."""
_SKIPS = re.compile(r"pytest\.(?:skip|xfail|exit)|_pytest\.(?:outcomes|runner)\.\w+|unittest\.case\._\w+")
"""What ends a test and is no failure; of pytest's marks nothing."""
_SETTABLE = re.compile(
    r"sys\.(?:std(?:in|out|err)\b.*|argv|path|ps[12]|\w*hook|dont_write_bytecode|tracebacklimit|last_\w+)"
    r"|ctypes\.\w*dll\.\w+\.\w+\.(?:argtypes|restype)"
    r"|threading\.excepthook|warnings\.(?:show|format)warning|tempfile\.tempdir|logging\.(?:root|Formatter)\.\w+|builtins\._|os\.environ"
)
"""What the library lets everybody set."""
_ENVIRONMENT = ("PYTEST_CURRENT_TEST", "PYTEST_VERSION", "PYTEST_XDIST_WORKER")
_PART = re.compile(r"PYTE|YTES|CURRENT_T|RENT_TE|XDIST_W")
_LOOKED_UP = frozenset({"modules", "argv", "orig_argv", "environ", "meta_path"})
_RUNNER = re.compile(r"^_?pyt$|pyte|ytest|unitt|hypothes|current_t")
_TEST_FILE = re.compile(r"(?:.*[/*])?(?:test_[\w*?]*|[\w*?]+_test)\.py")
_READS = frozenset({"open", "read_text", "read_bytes", "readlines", "getlines", "getline", "glob", "rglob"})
_PROFILES = frozenset({"register_profile", "load_profile"})
_STREAMS = frozenset({"sys.stdout", "sys.stderr", "sys.stdin"})


_SEARCHES = (ast.For, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def reaches(module: ast.Module) -> Iterator[Found]:
    """Yield what a module does of it; the same thing twice is said the same."""
    modules = Modules(module)
    texts = (node.value for node in ast.walk(module) if isinstance(node, ast.Expr))
    prose = {id(text) for text in texts if isinstance(text, ast.Constant)}
    for node in ast.walk(module):
        if id(node) in prose:
            continue
        yield from _by_name(node, modules)
        if isinstance(node, ast.BinOp | ast.Call | ast.JoinedStr | ast.Constant):
            yield from _by_text(node)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            yield from _by_assignment(node, modules)
        elif isinstance(node, ast.Call):
            yield from _by_call(node, modules)
        elif isinstance(node, ast.Import):
            if any(alias.name == "__main__" for alias in node.names):
                yield "asks for the program that was started: __main__", node.lineno
        elif isinstance(node, _SEARCHES):
            yield from _by_search(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _by_reading(node)


def _by_name(node: ast.AST, modules: Modules) -> Iterator[Found]:
    names = [last_name(node)] if isinstance(node, ast.Attribute) else []
    if isinstance(node, ast.ImportFrom):
        names = [alias.name for alias in node.names] if is_outside(node.module or ".") else []
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        names = [node.value] if node.value not in _MODULE_OF else []
    for name in names:
        owner = modules.full(node.value) if isinstance(node, ast.Attribute) else ""
        if isinstance(node, ast.ImportFrom):
            owner = node.module or ""
        if _SKIPS.fullmatch(f"{owner}.{name}"):
            yield f"skips the test that calls it: {name}", getattr(node, "lineno", 1)
        elif name in _KIND_OF and owner.partition(".")[0] == _MODULE_OF.get(name, owner.partition(".")[0]):
            yield f"{_KIND_OF[name]}: {name}", getattr(node, "lineno", 1)
    if isinstance(node, ast.Attribute) and modules.full(node) == "inspect.stack":
        yield "looks into its callers: inspect.stack", node.lineno


def _by_text(node: ast.expr) -> Iterator[Found]:
    text = text_of(node)
    if text is None:
        return
    if not isinstance(node, ast.Constant):
        if text.startswith("PYTEST_") or text in ("pytest", "_pytest", "unittest", "__eq__", "ANY"):
            yield f"puts together {text}", node.lineno
        elif text in _KIND_OF:
            yield f"{_KIND_OF[text]}: {text}", node.lineno
    elif _PART.search(text) and any(text in name and text != name for name in _ENVIRONMENT):
        yield f"looks for {text}", node.lineno


def _by_assignment(node: ast.Assign | ast.AugAssign | ast.AnnAssign, modules: Modules) -> Iterator[Found]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Attribute):
            full = modules.full(target)
            # A value that is no function changes how something works, and replaces nothing.
            is_setting = node.value is not None and _is_literal(node.value) and not is_of_runner(full)
            if full and not is_setting and not _SETTABLE.fullmatch(full):
                yield f"replaces {full}", node.lineno
        elif isinstance(target, ast.Subscript):
            if modules.full(target):
                yield f"replaces {modules.full(target)}", node.lineno
            elif isinstance(target.slice, ast.Slice) and (full := modules.full(target.value)):
                if not _SETTABLE.fullmatch(full):
                    yield f"replaces {full}", node.lineno
            elif owner := _owner(target.value, modules):
                yield f"replaces {owner}.{text_of(target.slice) or '…'}", node.lineno


def _is_literal(value: ast.expr) -> bool:
    """Return whether a value is a constant, or reckoned of constants: `-1`, `10 * 1024`."""
    parts = ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop
    return all(isinstance(part, parts) for part in ast.walk(value))


def _owner(node: ast.AST, modules: Modules) -> str:
    """Return the module or class behind `vars(…)` or `….__dict__`."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return modules.full(node.value)
    if isinstance(node, ast.Call) and last_name(node.func) == "vars" and node.args:
        return modules.full(node.args[0])
    return ""


def _by_call(node: ast.Call, modules: Modules) -> Iterator[Found]:
    name, full = last_name(node.func), modules.full(node.func)
    first = modules.full(node.args[0]) if node.args else ""
    if name in ("setattr", "__setattr__", "delattr"):
        owner = first
        if name == "__setattr__" and isinstance(node.func, ast.Attribute):
            owner = owner or modules.full(node.func.value)
        what = next((t for argument in node.args if (t := text_of(argument)) is not None), "…")
        if owner and not _SETTABLE.fullmatch(f"{owner}.{what}"):
            yield f"replaces {owner}.{what}", node.lineno
    elif name in ("update", "__setitem__") and isinstance(node.func, ast.Attribute):
        if owner := _owner(node.func.value, modules):
            yield f"replaces {owner}.…", node.lineno
    elif full.startswith(("unittest.mock.patch", "mock.patch")):
        target = first or (text_of(node.args[0]) if node.args else None) or ""
        if is_outside(target):
            yield f"replaces {target}", node.lineno
    elif name in _PROFILES and full.startswith("hypothesis"):
        yield f"sets how hypothesis tests: {name}", node.lineno
    elif name == "type" and first in _STREAMS:
        yield f"asks what its output is: type({first})", node.lineno


def _by_search(node: ast.AST) -> Iterator[Found]:
    """Yield a search for a runner among the modules, arguments or variables of the process."""
    iters = [node.iter] if isinstance(node, ast.For) else [g.iter for g in getattr(node, "generators", ())]
    looked = {last_name(inner) for walked in iters for inner in ast.walk(walked)} & _LOOKED_UP
    if not looked:
        return
    for inner in ast.walk(node):
        text = text_of(inner)
        if text is not None and _RUNNER.search(text.lower()):
            yield f"searches {min(looked)} for {text}", getattr(node, "lineno", 1)
            return


def _by_reading(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Found]:
    """Yield what of the tests' own text a function reads."""
    inside = list(ast.walk(function))
    if not any(isinstance(n, ast.Call) and last_name(n.func) in _READS for n in inside):
        return
    is_here = any(isinstance(n, ast.Name) and n.id == "__file__" for n in inside)
    for node in inside:
        text = text_of(node)
        if text is None or "\n" in text:
            continue
        is_glob = is_here and "*" in text and text.endswith(".py")
        if _TEST_FILE.fullmatch(text) or is_glob:
            yield f"reads {text}", getattr(node, "lineno", function.lineno)
            return

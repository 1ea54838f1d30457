"""Which lines of the project each test executes, through coverage.py's own contexts.

Import and collection run in the empty context, which is never reported.
"""

import os
import warnings


class Cover:
    """Measures files under `root`; does nothing where coverage cannot be imported."""

    def __init__(self, root):
        self._root = os.path.realpath(root)
        self._coverage = None
        self.version = ""
        try:
            import coverage
        except ImportError:
            return
        self.version = coverage.__version__
        with _core():
            self._coverage = coverage.Coverage(
                data_file=None,
                config_file=False,
                messages=False,
                **_scope(self._root),
                omit=["*/site-packages/*", "*/dist-packages/*", "*/node_modules/*"],
            )

    def start(self):
        """Begin to measure, in no test's context."""
        if self._coverage is not None:
            with _core():
                self._coverage.start()

    def switch(self, test_id):
        """Attribute what is executed from now on to a test, or to none (empty)."""
        if self._coverage is not None:
            try:
                self._coverage.switch_context(test_id)
            except Exception:  # noqa: BLE001
                # A test that measures coverage itself may have stopped ours: then there is none.
                self._coverage = None

    def stop(self):
        """Return test id → relative file → ranges such as `1-4,7`."""
        if self._coverage is None:
            return {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._coverage.stop()
            data = self._coverage.get_data()
        found = {}
        for path in sorted(data.measured_files()):
            relative = self._relative(path)
            if relative is None:
                continue
            for line, contexts in sorted((data.contexts_by_lineno(path) or {}).items()):
                for context in contexts:
                    if context and line > 0:
                        found.setdefault(context, {}).setdefault(relative, []).append(line)
        return {
            context: {path: ranges(lines) for path, lines in files.items()}
            for context, files in found.items()
        }

    def _relative(self, path):
        real = os.path.realpath(path)
        prefix = self._root.rstrip(os.sep) + os.sep
        return real[len(prefix) :].replace(os.sep, "/") if real.startswith(prefix) else None


def _scope(root):
    """Return coverage's options for the files under `root`.

    Given as a source, the whole tree is walked in the end for files that nothing executed; a pattern does
    without, but has no way to spell a folder whose name looks like a pattern.
    """
    if any(letter in root for letter in "*?[]{}"):
        return {"source": [root]}
    return {"include": [os.path.join(root, "*")]}


class _core:
    """Names the tracer: the one that keeps contexts apart, in C where it is there.

    The variable is only set while coverage reads it, so that the project's tests never see it.
    """

    def __enter__(self):
        self._old = os.environ.get("COVERAGE_CORE")
        try:
            import coverage.tracer  # noqa: F401
        except ImportError:
            os.environ["COVERAGE_CORE"] = "pytrace"
        else:
            os.environ["COVERAGE_CORE"] = "ctrace"

    def __exit__(self, *_):
        if self._old is None:
            os.environ.pop("COVERAGE_CORE", None)
        else:
            os.environ["COVERAGE_CORE"] = self._old


def ranges(lines):
    """Return sorted numbers as text, `1-4,7`."""
    pieces = []
    start = last = None
    for line in lines:
        if last is not None and line == last + 1:
            last = line
            continue
        if start is not None:
            pieces.append((start, last))
        start = last = line
    if start is not None:
        pieces.append((start, last))
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in pieces)

"""One candidate fix on disk, in place of the base's text for as long as it is tried."""

import base64
import os

_EPOCH = 1_000_000_000


class Written:
    """Puts a candidate's edited files in place; an edit is `[path, start, end, replacement in base64]`.

    Each candidate's files get a time stamp of their own, so that byte code compiled from the base, which an
    unchanged file goes on using, is never taken for a changed one.
    """

    def __init__(self, index, edits):
        self._before = {}
        made = {}
        for path, start, end, text in sorted(edits, key=lambda edit: -edit[1]):
            if path not in made:
                with open(path, "rb") as file:
                    made[path] = file.read()
                self._before[path] = (made[path], os.stat(path).st_mtime_ns)
            made[path] = made[path][:start] + base64.b64decode(text) + made[path][end:]
        for path, content in made.items():
            _put(path, content, (_EPOCH + index) * 1_000_000_000)

    def restore(self):
        """Put the base's text back."""
        for path, (content, stamp) in self._before.items():
            _put(path, content, stamp)


def _put(path, content, stamp_ns):
    with open(path, "wb") as file:
        file.write(content)
    os.utime(path, ns=(stamp_ns, stamp_ns))

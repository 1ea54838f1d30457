from collections import OrderedDict


class TTLCache:
    """Keeps up to ``maxsize`` values, each for ``ttl`` seconds; the oldest use goes first.

    ``clock`` is a function without arguments that returns seconds.
    """

    def __init__(self, maxsize, ttl, clock):
        self.maxsize = maxsize
        self.ttl = ttl
        self.clock = clock
        self.hits = self.misses = 0
        self._entries = OrderedDict()

    def __len__(self):
        self._purge()
        return len(self._entries)

    def _purge(self):
        now = self.clock()
        for key in [k for k, (_, expires) in self._entries.items() if expires <= now]:
            del self._entries[key]

    def put(self, key, value):
        self._purge()
        self._entries.pop(key, None)
        if len(self._entries) >= self.maxsize:
            self._entries.popitem(last=False)
        self._entries[key] = (value, self.clock() + self.ttl)

    def get(self, key, default=None):
        self._purge()
        if key not in self._entries:
            self.misses += 1
            return default
        self.hits += 1
        self._entries.move_to_end(key)
        return self._entries[key][0]

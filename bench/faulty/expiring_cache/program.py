class ExpiringCache:
    """A bounded cache whose entries live for a limited time.

    `clock` is called for the current time in seconds.  An entry is gone once
    `lifetime` seconds have passed since it was last written; entries that are
    gone leave room before live ones are pushed out.  Among live entries the one
    that was written first is pushed out first.
    """

    def __init__(self, capacity, lifetime, clock):
        self.capacity = capacity
        self.lifetime = lifetime
        self.clock = clock
        self.entries = {}

    def put(self, key, value):
        self.entries.pop(key, None)
        while len(self.entries) >= self.capacity:
            oldest = next(iter(self.entries))
            del self.entries[oldest]
        self.entries[key] = value

    def get(self, key, default=None):
        return self.entries.get(key, default)

    def touch(self, key):
        """Start the lifetime of a living entry again; tell whether there was one."""
        if key not in self.entries:
            return False
        self.put(key, self.entries[key])
        return True

    def __len__(self):
        return len(self.entries)

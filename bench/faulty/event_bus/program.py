from collections import defaultdict


class EventBus:
    """Calls the handlers of a topic in the order of their subscription."""

    def __init__(self):
        self._handlers = defaultdict(list)

    def on(self, topic, handler):
        self._handlers[topic].append(handler)

        def unsubscribe():
            if handler in self._handlers[topic]:
                self._handlers[topic].remove(handler)

        return unsubscribe

    def once(self, topic, handler):
        def wrapper(*args):
            unsubscribe()
            handler(*args)

        unsubscribe = self.on(topic, wrapper)
        return unsubscribe

    def emit(self, topic, *args):
        """Call who was subscribed when the event was emitted, and return how many."""
        called = 0
        for handler in self._handlers[topic]:
            handler(*args)
            called += 1
        return called

    def clear(self, topic=None):
        if topic is None:
            self._handlers.clear()
        else:
            self._handlers.pop(topic, None)

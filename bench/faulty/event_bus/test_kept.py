from program import EventBus


def test_two_once_handlers():
    bus, seen = EventBus(), []
    bus.once("x", lambda: seen.append(1))
    bus.once("x", lambda: seen.append(2))
    bus.once("x", lambda: seen.append(3))
    assert bus.emit("x") == 3
    assert seen == [1, 2, 3]
    assert bus.emit("x") == 0
    assert seen == [1, 2, 3]


def test_handler_added_during_emit_waits():
    bus, seen = EventBus(), []

    def grow():
        seen.append("grow")
        if len(seen) < 5:
            bus.on("x", lambda: seen.append("new"))

    bus.on("x", grow)
    assert bus.emit("x") == 1
    assert seen == ["grow"]
    assert bus.emit("x") == 2


def test_handler_removing_the_next_one():
    bus, seen = EventBus(), []
    stops = []
    bus.on("x", lambda: stops[0]())
    stops.append(bus.on("x", lambda: seen.append("removed")))
    bus.on("x", lambda: seen.append("last"))
    assert bus.emit("x") == 3
    assert bus.emit("x") == 2
    assert seen == ["removed", "last", "last"]


def test_once_can_be_cancelled():
    bus, seen = EventBus(), []
    bus.once("x", seen.append)()
    assert bus.emit("x", 1) == 0


def test_unsubscribe_twice():
    bus = EventBus()
    stop = bus.on("x", print)
    stop()
    stop()
    assert bus.emit("x") == 0


def test_topics_are_apart():
    bus, seen = EventBus(), []
    bus.on("a", seen.append)
    assert bus.emit("b", 1) == 0
    assert bus.emit("a", 2) == 1
    assert seen == [2]


def test_once_gets_arguments():
    bus, seen = EventBus(), []
    bus.once("x", lambda *args: seen.append(args))
    bus.emit("x", 1, "b")
    assert seen == [(1, "b")]


def test_clear_topic():
    bus = EventBus()
    bus.on("a", print)
    bus.on("b", str)
    bus.clear("a")
    assert bus.emit("a") == 0
    assert bus.emit("b", 1) == 1
    bus.clear()
    assert bus.emit("b", 1) == 0


def test_clear_during_emit():
    bus, seen = EventBus(), []
    bus.on("x", lambda: bus.clear("x"))
    bus.on("x", lambda: seen.append(1))
    bus.emit("x")
    assert seen == [1]
    assert bus.emit("x") == 0

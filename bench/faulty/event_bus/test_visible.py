from program import EventBus


def test_emit_calls_in_order():
    bus, seen = EventBus(), []
    bus.on("save", lambda name: seen.append(("first", name)))
    bus.on("save", lambda name: seen.append(("second", name)))
    assert bus.emit("save", "a.txt") == 2
    assert seen == [("first", "a.txt"), ("second", "a.txt")]


def test_unsubscribe():
    bus, seen = EventBus(), []
    stop = bus.on("tick", seen.append)
    stop()
    assert bus.emit("tick", 1) == 0
    assert seen == []


def test_once_does_not_disturb_the_others():
    bus, seen = EventBus(), []
    bus.once("open", lambda: seen.append("once"))
    bus.on("open", lambda: seen.append("always"))
    bus.emit("open")
    bus.emit("open")
    assert seen == ["once", "always", "always"]

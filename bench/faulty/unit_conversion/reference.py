"""Conversion between units of one kind."""

UNITS = {
    "length": {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0, "in": 0.0254, "ft": 0.3048, "mi": 1609.344},
    "mass": {"g": 0.001, "kg": 1.0, "t": 1000.0, "lb": 0.45359237},
    "time": {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0},
}


class UnitError(ValueError):
    pass


def kind_of(unit):
    for kind, table in UNITS.items():
        if unit in table:
            return kind
    raise UnitError(f"unknown unit: {unit}")


def ratio(source, target):
    """Return how many of the target unit make one source unit."""
    kind = kind_of(source)
    if kind_of(target) != kind:
        raise UnitError(f"cannot convert {source} to {target}")
    return UNITS[kind][source] / UNITS[kind][target]


def convert(value, source, target):
    return value * ratio(source, target)


def speed(value, source, target):
    """Convert between speeds that are written like km/h."""
    source_length, source_time = source.split("/")
    target_length, target_time = target.split("/")
    return convert(value, source_length, target_length) * ratio(target_time, source_time)


def best_unit(value, unit):
    """Return the largest unit in which the value is at least one."""
    table = UNITS[kind_of(unit)]
    fitting = [name for name in table if convert(value, unit, name) >= 1]
    return max(fitting, key=table.get) if fitting else min(table, key=table.get)

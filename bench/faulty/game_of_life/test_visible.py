from program import neighbours, parse, period, show, step


def test_parse():
    assert parse("#. .#") == {(0, 0), (1, 1)}


def test_show():
    assert show({(0, 1)}, 2, 2) == ".#\n.."


def test_neighbours():
    around = list(neighbours((0, 0)))
    assert len(around) == 8
    assert (0, 0) not in around


def test_lonely_cell_dies():
    assert step({(0, 0)}) == set()


def test_blinker():
    assert step(parse("... ### ...")) == parse(".#. .#. .#.")


def test_block_is_still():
    assert period(parse("## ##")) == 1


def test_crowded_cell_dies():
    assert (1, 1) not in step(parse("### ### ..."))

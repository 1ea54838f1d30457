from program import Leaderboard


def board(**scores):
    table = Leaderboard()
    for name, values in scores.items():
        for value in values:
            table.record(name, value)
    return table


def test_points_add_up():
    assert board(ann=[3, 4]).players["ann"].points == 7


def test_most_points_win():
    assert board(ann=[10], bob=[6, 6], cy=[1]).top(2) == ["bob", "ann"]


def test_best_score_breaks_a_tie():
    assert board(ann=[5, 5], bob=[9, 1]).top() == ["bob", "ann"]


def test_shared_place():
    assert board(ann=[4], bob=[4], cy=[2]).places() == {"ann": 1, "bob": 1, "cy": 3}

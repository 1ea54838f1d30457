from program import Leaderboard


def board(**scores):
    table = Leaderboard()
    for name, values in scores.items():
        for value in values:
            table.record(name, value)
    return table


def test_empty():
    assert Leaderboard().top() == []
    assert Leaderboard().places() == {}


def test_names_break_full_ties():
    assert board(zed=[1, 2], amy=[2, 1], bob=[3]).top() == ["bob", "amy", "zed"]


def test_negative_scores():
    assert board(a=[-5], b=[-1], c=[0]).top() == ["c", "b", "a"]
    assert board(a=[-5, 20], b=[16], c=[15]).top() == ["b", "a", "c"]


def test_top_is_cut():
    table = board(a=[1], b=[2], c=[3], d=[4])
    assert table.top() == ["d", "c", "b"]
    assert table.top(0) == []
    assert table.top(9) == ["d", "c", "b", "a"]


def test_places_with_gaps():
    table = board(a=[9], b=[4, 5], c=[8], d=[8], e=[1])
    assert table.places() == {"a": 1, "b": 1, "c": 3, "d": 3, "e": 5}


def test_places_of_many_small_scores():
    assert board(a=[1] * 10, b=[9], c=[8]).places() == {"a": 1, "b": 2, "c": 3}


def test_best():
    table = board(a=[2, 7, 3])
    assert table.players["a"].best == 7


def test_later_scores_change_the_order():
    table = board(a=[5], b=[4])
    assert table.top(1) == ["a"]
    table.record("b", 2)
    assert table.top(1) == ["b"]


def test_tie_on_points_ranked_by_best_not_name():
    assert board(amy=[3, 3, 3], zoe=[8, 1]).top() == ["zoe", "amy"]


def test_player_without_scores():
    table = Leaderboard()
    table.record("a", 1)
    table.players["a"].scores.clear()
    assert table.players["a"].best == 0
    assert table.players["a"].points == 0

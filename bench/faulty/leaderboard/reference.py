from dataclasses import dataclass, field


@dataclass
class Player:
    name: str
    scores: list = field(default_factory=list)

    @property
    def points(self):
        return sum(self.scores)

    @property
    def best(self):
        return max(self.scores, default=0)


class Leaderboard:
    """Ranks by points, then by the best single score, then by name."""

    def __init__(self):
        self.players = {}

    def record(self, name, score):
        player = self.players.setdefault(name, Player(name))
        player.scores.append(score)

    def ranking(self):
        return sorted(self.players.values(), key=lambda p: (-p.points, -p.best, p.name))

    def top(self, count=3):
        return [player.name for player in self.ranking()[:count]]

    def places(self):
        """Return the place of each player; equal points share a place."""
        places = {}
        previous = None
        for index, player in enumerate(self.ranking(), start=1):
            if player.points != previous:
                place = index
                previous = player.points
            places[player.name] = place
        return places

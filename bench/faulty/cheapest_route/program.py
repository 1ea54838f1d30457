from collections import deque


class Network:
    """Places joined by one-way legs that have a price."""

    def __init__(self):
        self.legs = {}

    def add(self, start, end, price):
        if price < 0:
            raise ValueError("negative price")
        self.legs.setdefault(start, {})[end] = price
        self.legs.setdefault(end, {})

    def cheapest(self, start, end):
        """Return (price, route), or None when there is no route."""
        came_from = {start: None}
        price = {start: 0}
        queue = deque([start])
        while queue:
            place = queue.popleft()
            if place == end:
                break
            for other, cost in self.legs.get(place, {}).items():
                if other not in came_from:
                    came_from[other] = place
                    price[other] = price[place] + cost
                    queue.append(other)
        if end not in came_from:
            return None
        route = [end]
        while came_from[route[-1]] is not None:
            route.append(came_from[route[-1]])
        return price[end], route[::-1]

from heapq import heappop, heappush


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
        queue = [(0, start)]
        done = set()
        while queue:
            _, place = heappop(queue)
            if place in done:
                continue
            done.add(place)
            if place == end:
                break
            for other, cost in self.legs.get(place, {}).items():
                total = price[place] + cost
                if other not in price or total < price[other]:
                    came_from[other] = place
                    price[other] = total
                    heappush(queue, (total, other))
        if end not in came_from:
            return None
        route = [end]
        while came_from[route[-1]] is not None:
            route.append(came_from[route[-1]])
        return price[end], route[::-1]

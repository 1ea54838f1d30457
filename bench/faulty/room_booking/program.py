class Clash(Exception):
    def __init__(self, wanted, existing):
        super().__init__(f"{wanted} overlaps {existing}")
        self.existing = existing


class Booking:
    def __init__(self, title, start, end):
        if end <= start:
            raise ValueError("a booking must end after it starts")
        self.title, self.start, self.end = title, start, end

    def overlaps(self, other):
        return self.start < other.end or other.start < self.end

    def __repr__(self):
        return f"{self.title} ({self.start}-{self.end})"


class Room:
    """A room with bookings in minutes since midnight."""

    def __init__(self, opens=8 * 60, closes=18 * 60):
        self.opens = opens
        self.closes = closes
        self.bookings = []

    def book(self, title, start, end):
        booking = Booking(title, start, end)
        if start < self.opens or end > self.closes:
            raise ValueError("the room is closed then")
        for existing in self.bookings:
            if booking.overlaps(existing):
                raise Clash(booking, existing)
        self.bookings.append(booking)
        self.bookings.sort(key=lambda b: b.start)
        return booking

    def first_gap(self, length):
        start = self.opens
        for booking in self.bookings:
            if booking.start - start >= length:
                break
            start = booking.end
        return start if start + length <= self.closes else None

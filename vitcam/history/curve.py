"""The curve of an event's probability, with a bounded number of points however long the event lasts."""

MOST, FEW = 64, 12


class Curve:
    """Each point is the mean of `stride` probabilities; when there are too many, two become one."""

    def __init__(self) -> None:
        self._points: list[tuple[int, float]] = []
        self._stride = 1
        self._first_ms = 0
        self._sum = 0.0
        self._count = 0

    def add(self, ms: int, p: float) -> None:
        """Add a probability, in the order of time. ms: after the start of the event; not below 0."""
        if self._count == 0:
            self._first_ms = max(0, ms)
        self._sum += p
        self._count += 1
        if self._count >= self._stride:
            self._points.append((self._first_ms, self._sum / self._count))
            self._sum, self._count = 0.0, 0
        if len(self._points) >= MOST:
            pairs = zip(self._points[::2], self._points[1::2], strict=True)
            self._points = [(one[0], (one[1] + other[1]) / 2) for one, other in pairs]
            self._stride *= 2

    def points(self) -> tuple[tuple[int, float], ...]:
        """At most `MOST` points; ms after the start, and the probability."""
        rest = [(self._first_ms, self._sum / self._count)] if self._count else []
        return (*self._points, *rest)

    def few_points(self) -> tuple[tuple[int, float], ...]:
        """The same with at most `FEW` points, which are some of them."""
        points = self.points()
        return points[:: -(-len(points) // FEW)] if points else ()

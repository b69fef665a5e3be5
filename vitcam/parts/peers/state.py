"""What peers say of themselves."""


class PeerCount(int):
    """How many other cameras the page shows."""

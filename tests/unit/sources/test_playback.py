from vitcam.sources.playback import Playback


def test_a_pause_does_not_bring_back_a_source_that_withdraws_at_that_moment() -> None:
    """`Withdrawing` stands for the other thread: it withdraws the moment that the lock is asked for."""
    playback = Playback()
    playback.offer(count=3, can_step_back=True)
    playback._changed = Withdrawing(playback)  # type: ignore[assignment]

    assert not playback.pause(True)
    assert playback.position is None
    assert not playback.step(-1)
    assert not playback.step(1)


class Withdrawing:
    """A lock that another thread got just before: what it did with it is that the source withdrew."""

    def __init__(self, playback: Playback) -> None:
        self._playback, self._lock, self._done = playback, playback._changed, False

    def __enter__(self) -> None:
        self._lock.__enter__()
        if not self._done:
            self._done = True
            self._playback.withdraw()

    def __exit__(self, *error: object) -> None:
        self._lock.__exit__(None, None, None)

    def notify_all(self) -> None:
        self._lock.notify_all()

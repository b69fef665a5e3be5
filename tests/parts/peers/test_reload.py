"""A run takes over other cameras."""

from tests.unit.daemon.test_reload import Run, one, photo, run  # noqa: F401 - fixtures
from vitcam.parts.peers.watch import PeerWatch


def test_other_cameras_are_watched_from_the_next_look_on(run: Run) -> None:  # noqa: F811
    run.sets = ["peers.garden=http://192.168.1.21:8420"]

    note = run.reload()

    assert note == ""
    assert [(peer.name, peer.base) for peer in one(run.daemon, PeerWatch).peers] == [
        ("garden", "http://192.168.1.21:8420/")
    ]
    run.sets = []
    run.reload()
    assert one(run.daemon, PeerWatch).peers == ()

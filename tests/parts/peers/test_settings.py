"""`[peers]`: a name and an address for each other camera."""

import pytest

from tests.unit.config.test_load import Write, effective, refused, write  # noqa: F401 - a fixture
from vitcam.config.compare import Changes
from vitcam.config.load import merge_layers
from vitcam.config.on_page import why_not
from vitcam.config.option import Why
from vitcam.config.settings import Settings, option_called
from vitcam.errors import ConfigError
from vitcam.parts.peers.peer import MOST_PEERS, Peer
from vitcam.parts.peers.settings import PEER, PeerSettings


def test_each_key_is_a_camera_and_a_later_place_changes_its_address(write: Write) -> None:  # noqa: F811
    path = write('[peers]\ngarden = "https://garden.local:8420"\ndoor = "http://192.168.1.9/cameras/door"\n')
    found = merge_layers(path, ["peers.door=http://[fe80::1]:8420/"], {}, {}).settings[PeerSettings].own

    assert [(peer.name, peer.base, peer.place) for peer in found] == [
        ("garden", "https://garden.local:8420/", str(path)),
        ("door", "http://[fe80::1]:8420/", "--set peers.door"),
    ]
    assert effective(None).settings[PeerSettings] == PeerSettings()
    assert option_called("peers.garden") is PEER
    assert ("peers.garden", "https://garden.local:8420", str(path)) in effective(path).rows()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("garden = 5", ["peers.garden", "5"]),
        ('garden = ""', ["peers.garden"]),
        ('garden = "ftp://garden"', ["peers.garden", "ftp://garden"]),
        ('garden = "https://vitcam:hunter2@garden"', ["peers.garden"]),
        ('garden = "https://garden/?token=hunter2"', ["peers.garden"]),
        ('garden = "https://garden/../x"', ["peers.garden"]),
        ('garden = "https://gar den"', ["peers.garden"]),
        ('garden = "https://garden:99999"', ["peers.garden"]),
        ('"gar/den" = "https://garden"', ["'gar/den'"]),
        (f'"{"x" * 33}" = "https://garden"', ["32"]),
        ("\n".join(f'c{i} = "http://c{i}"' for i in range(MOST_PEERS + 1)), [str(MOST_PEERS)]),
    ],
)
def test_what_is_no_camera_is_refused_with_its_place(write: Write, content: str, said: list[str]) -> None:  # noqa: F811
    sentence = refused(ConfigError, write(f"[peers]\n{content}\n"))

    assert "named.toml" in sentence
    assert "\n" not in sentence
    assert "hunter2" not in sentence
    assert [word for word in said if word not in sentence] == []


def test_a_variable_cannot_name_a_camera_and_nor_can_the_page() -> None:
    assert "[peers]" in refused(ConfigError, VITCAM_PEERS_GARDEN="http://garden")
    assert why_not("peers.garden") is Why.FETCH


def test_a_run_takes_over_other_cameras() -> None:
    other = Settings().with_section("peers", PeerSettings((Peer("garden", "http://garden", "a.toml"),)))

    assert Changes.between(Settings(), other) == Changes(("peers",), ())
    same = Settings().with_section("peers", PeerSettings((Peer("garden", "http://garden", "b.toml"),)))
    assert Changes.between(other, same) == Changes((), ())

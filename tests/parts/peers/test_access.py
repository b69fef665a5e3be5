"""What is kept for other cameras: tokens and fingerprints, in a file that only its owner may read."""

import json
import stat
from pathlib import Path

import pytest

from vitcam.errors import ConfigError, UsageError
from vitcam.parts.peers import watch
from vitcam.parts.peers.access import (
    PeerAccess,
    forget_peer_access,
    keep_peer_access,
    load_peer_access,
    peer_tokens_file,
)
from vitcam.parts.peers.watch import KeptAccess

TOKEN = "vitcam_" + "a" * 43
SHA = "0f" * 32


def kept(folder: Path) -> dict[str, PeerAccess]:
    return dict(load_peer_access(folder))


def test_a_token_is_kept_for_its_owner_alone_until_it_is_forgotten(tmp_path: Path) -> None:
    keep_peer_access(tmp_path, "garden", TOKEN, "sha256 Fingerprint=" + ":".join([SHA[:2].upper()] * 32))
    keep_peer_access(tmp_path, "door", "")

    found = kept(tmp_path)
    assert (found["garden"].token, found["garden"].fingerprint) == (TOKEN, SHA[:2] * 32)
    assert (found["door"].token, found["door"].fingerprint) == ("", "")
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    forget_peer_access(tmp_path, "garden")
    assert list(kept(tmp_path)) == ["door"]
    assert TOKEN not in "".join(path.read_text() for path in tmp_path.iterdir())
    with pytest.raises(UsageError, match="'door'"):
        forget_peer_access(tmp_path, "garden")


@pytest.mark.parametrize(
    ("name", "token", "fingerprint"),
    [
        ("", TOKEN, ""), ("a/b", TOKEN, ""), ("x" * 33, TOKEN, ""), ("gar\nden", TOKEN, ""),
        ("garden", "two words", ""), ("garden", "a\r\nHost: b", ""), ("garden", "ä", ""), ("garden", "x" * 600, ""),
        ("garden", TOKEN, "12:34"), ("garden", TOKEN, "z" * 64), ("garden", TOKEN, SHA + "00"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_refused_and_nothing_is_kept(
    tmp_path: Path, name: str, token: str, fingerprint: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        keep_peer_access(tmp_path, name, token, fingerprint)

    assert TOKEN not in str(refusal.value)
    assert kept(tmp_path) == {}


@pytest.mark.parametrize("content", ["", "[1]", "5", "[" * 100_000])
def test_a_file_that_vitcam_did_not_write_is_refused(tmp_path: Path, content: str) -> None:
    peer_tokens_file(tmp_path).write_text(content)

    with pytest.raises(ConfigError, match="peer_tokens"):
        load_peer_access(tmp_path)


@pytest.mark.parametrize(
    "record",
    [
        1,
        {"token": "x"},
        {"token": "a\nb", "fingerprint": "", "kept": ""},
        {"token": "a", "fingerprint": "12", "kept": ""},
    ],
)
def test_what_cannot_be_read_of_one_camera_costs_no_other(tmp_path: Path, record: object) -> None:
    keep_peer_access(tmp_path, "door", "secret")
    path = peer_tokens_file(tmp_path)
    path.write_text(json.dumps({"garden": record, **json.loads(path.read_text())}))

    assert [*load_peer_access(tmp_path)] == ["door"]
    keep_peer_access(tmp_path, "shed", "secret")
    assert json.loads(path.read_text())["garden"] == record
    forget_peer_access(tmp_path, "garden")
    assert [*json.loads(path.read_text())] == ["door", "shed"]


def test_a_file_that_could_not_be_read_for_a_moment_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(folder: Path) -> None:
        raise ConfigError(f"{folder} cannot be read")

    kept_by_others = KeptAccess(tmp_path)
    keep_peer_access(tmp_path, "garden", "secret")
    path = peer_tokens_file(tmp_path)
    kept_by_others.now(at_once=True)
    path.rename(tmp_path / "elsewhere")
    path.mkdir()
    without = kept_by_others.now(at_once=True)
    path.rmdir()
    (tmp_path / "elsewhere").rename(path)
    again = kept_by_others.now(at_once=True)
    keep_peer_access(tmp_path, "shed", "secret")
    caplog.clear()
    with monkeypatch.context() as broken:
        broken.setattr(watch, "load_peer_access", fail)
        found = [dict(kept_by_others.now(at_once=True)) for _ in range(2)]

    assert ([*without], [*again]) == ([], ["garden"])
    assert found == [{}, {}]
    assert len(caplog.records) == 1
    assert {*kept_by_others.now(at_once=True)} == {"garden", "shed"}

"""The password of a camera is in nothing that vitcam prints or serves, however its address is written."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.command import vitcam
from tests.daemon import daemon

SECRET = "hunter2"
CLOSED = 1  # tcpmux: nobody listens there, and every test process gives the tests the same names
ADDRESSES = [
    f"http://admin:hun/{SECRET}@127.0.0.1:{CLOSED}/live",
    f"http://127.0.0.1:{CLOSED}/user=admin_password={SECRET}_channel=1.sdp",
    f"http://admin:{SECRET}@127.0.0.1:{CLOSED}/v?accessKey={SECRET}",
    f"http://127.0.0.1:{CLOSED}/a b?api_key={SECRET}",
    f"rtsp://admin:hun#{SECRET}@127.0.0.1:{CLOSED}/live",
    f"rtsp://127.0.0.1:{CLOSED}/live;psw={SECRET}",
    f"rtps://admin:{SECRET}@127.0.0.1/live",
    f"admin:{SECRET}@127.0.0.1/live",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_run_that_is_refused_says_it_without_the_password(address: str) -> None:
    result = vitcam("--verbose", "run", "--source", address, "--no-web", "--log", "json")

    assert result.code in (1, 2)
    assert result.sentence.startswith("vitcam: ")
    assert SECRET not in result.out + result.err


@pytest.mark.parametrize("address", [ADDRESSES[1], ADDRESSES[2], ADDRESSES[5]])
def test_a_daemon_that_keeps_trying_serves_logs_and_remembers_no_password(address: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with daemon("--source", address, "--wait", stdout=str(out), XDG_STATE_HOME=str(tmp_path)) as running:
        state = running.wait_for("no_signal")
        masked = b'{"zones": {}, "masks": [[0, 0, 0.5, 0.5]]}'  # kept at once, under the name of its camera
        put = urllib.request.Request(f"{running.url}/api/zones", masked, method="PUT")
        urllib.request.urlopen(put, timeout=10).close()
        code, _ = running.end()
        kept = [path.read_text(errors="replace") for path in (tmp_path / "vitcam").rglob("*.json")]
        written = [out.read_text(), running.errors(), *kept]

    assert code == 0
    assert "127.0.0.1" in state["source"]
    assert any("127.0.0.1" in text for text in kept)
    assert SECRET not in "".join([json.dumps(state), *written])


def test_what_shows_the_configuration_or_refuses_it_keeps_the_password_to_itself() -> None:
    address = ADDRESSES[1]
    told = [
        vitcam("config", "show", "--set", f"camera.source={address}"),
        vitcam("config", "show", "--json", VITCAM_CAMERA_SOURCE=address),
        vitcam("doctor", "--set", f"camera.source={address}"),
        vitcam("doctor", "--json", "--set", f"camera.source={address}"),
        vitcam("config", "check", "--set", address),
        vitcam("config", "check", "--set", f"web.port={address}"),
        vitcam("config", "check", "--set", f"camera.crop=rtsp://admin:{SECRET}@camera/"),
        vitcam("classify", f"rtsp://admin:{SECRET}@camera/"),
        vitcam("classify", "--json", ADDRESSES[0], ADDRESSES[2], ADDRESSES[3]),
        vitcam("explain", ADDRESSES[0], "-o", "x.png"),
    ]

    assert SECRET not in "".join(result.out + result.err for result in told)
    assert not [result.err for result in told if "Traceback" in result.err]

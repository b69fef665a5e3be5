"""Home Assistant's own MJPEG and generic cameras show the stream, and log in by themselves."""

import base64
from pathlib import Path

import pytest

from tests.daemon import daemon
from tests.eventually import eventually
from tests.home_assistant.running import home_assistant

PASSWORD = "correct horse battery"


@pytest.mark.slow("vitcam/web/stream", "vitcam/access", "tests/home_assistant")
def test_both_cameras_show_the_stream_of_a_daemon_with_a_password(tmp_path: Path) -> None:
    options = ("--source", "demo", "--loop", "--host", "0.0.0.0")
    with (
        daemon(*options, VITCAM_WEB_PASSWORD=PASSWORD, XDG_STATE_HOME=str(tmp_path)) as camera,
        home_assistant(tmp_path / "home") as home,
    ):
        shared = {"username": "vitcam", "password": PASSWORD, "verify_ssl": True}
        stream, still = f"{camera.url}/stream?fps=5", f"{camera.url}/snapshot.jpg"
        mjpeg = {**shared, "name": "kitchen", "mjpeg_url": stream, "still_image_url": still}
        wrong = {**mjpeg, "password": "wrong"}
        assert eventually(lambda: home.ask("add", integration="mjpeg", given=wrong), every_s=1) == str(
            {"username": "invalid_auth"}
        )
        assert home.ask("add", integration="mjpeg", given=mjpeg) == "create_entry"
        generic = {**shared, "still_image_url": still, "stream_source": stream, "authentication": "basic"}
        assert home.ask("add", integration="generic", given={**generic, "framerate": 2}) == "create_entry"
        for platform in ("mjpeg", "generic"):
            [entity] = home.ask("entities", platform=platform)
            image = home.ask("image", entity=entity["id"])
            assert image["type"] == "image/jpeg"
            assert base64.b64decode(image["base64"]).startswith(b"\xff\xd8\xff")

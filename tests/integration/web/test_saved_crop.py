"""The crop of a camera is kept for the next start."""

from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest

from tests.daemon import daemon
from tests.http_camera import jpeg, keeps_sending, part, server
from tests.integration.web.test_crop import post


@pytest.fixture
def network_camera() -> Iterator[str]:
    """The address of a camera that sends for as long as a test takes."""
    with server(keeps_sending(repeat(part(jpeg())), every_s=0.05)) as port:
        yield f"http://127.0.0.1:{port}/"


def test_a_cameras_crop_is_kept_for_the_next_start_and_the_page_says_how_to_remove_it(
    tmp_path: Path, network_camera: str
) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with daemon("--source", network_camera, **state) as first:
        chosen_now = first.wait_for("ok")["view"], post(first.url, '{"crop": [0.5, 0.5, 0.25, 0.25]}')[1]
        assert first.end()[0] == 0
    with daemon("--source", network_camera, **state) as second:
        found = second.wait_for("ok")["view"]
        said = second.errors()
        post(second.url, '{"crop": null}')
        taken_back = second.state()["view"]

    assert not chosen_now[0]["remembered"]
    assert chosen_now[1]["remembered"]
    assert (found["crop"], found["remembered"]) == ([0.5, 0.5, 0.25, 0.25], True)
    assert "0.5,0.5,0.25,0.25" in said
    assert "--crop 0,0,1,1" in said
    assert (taken_back["crop"], taken_back["remembered"]) == (None, False)


def test_the_crop_of_a_demo_is_not_kept_for_the_next_run(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    (tmp_path / "vitcam").mkdir()
    (tmp_path / "vitcam" / "crops.json").write_text('{"demo:ram": "0,0,0.5,0.5"}')  # by an older version
    with daemon("--source", "demo:ram", "--fps", "5", **state) as running:
        view = running.wait_for("ok")["view"]
        _, answer = post(running.url, '{"crop": [0.5, 0.5, 0.25, 0.25]}')

    assert (view["crop"], view["remembered"]) == (None, False)
    assert answer["crop"] == [0.5, 0.5, 0.25, 0.25]
    assert not answer["remembered"]
    assert "cameras only" in answer["reason"]

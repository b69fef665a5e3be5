"""Masks are drawn while a picture is on its way to a broker."""

import threading
from pathlib import Path

from tests.eventually import eventually
from tests.mosquitto import Mosquitto, Subscriber
from tests.parts.mqtt.integration.client import connecting
from vitcam.parts.mqtt.settings import MqttSettings

SNAPSHOT = "vitcam/cam/snapshot"


def test_a_picture_that_was_drawn_before_new_masks_is_not_sent_and_another_takes_the_place_of_the_one_kept(
    tmp_path: Path,
) -> None:
    drawing, masked = threading.Event(), threading.Event()

    def picture(_most: int) -> bytes:
        if masked.is_set():
            return b"with the mask"
        if drawing.is_set():
            masked.wait(60)  # it was read before, and takes its time
        drawing.set()
        return b"without"

    with (
        Mosquitto(tmp_path / "broker") as broker,
        Subscriber(broker, SNAPSHOT) as home,
        connecting(tmp_path, MqttSettings(host="127.0.0.1", port=broker.port, name="cam"), picture) as client,
    ):
        assert eventually(lambda: home.of(SNAPSHOT))
        client.parts.picture_wanted = True
        assert eventually(lambda: client.parts.underway._ways)
        threading.Timer(0.3, masked.set).start()
        client.drop_pixels()
        assert eventually(lambda: len(home.of(SNAPSHOT)) > 1)

    assert home.of(SNAPSHOT) == [b"without", b"with the mask"]


def test_masks_wait_until_the_broker_has_a_picture_that_is_being_sent(tmp_path: Path) -> None:
    with (
        Mosquitto(tmp_path / "broker") as broker,
        Subscriber(broker, SNAPSHOT) as home,
        connecting(tmp_path, MqttSettings(host="127.0.0.1", port=broker.port, name="cam"), lambda _: b"x") as client,
    ):
        for _ in range(3):
            client.drop_pixels()
            assert not client.parts.underway._ways
        assert eventually(lambda: home.of(SNAPSHOT))

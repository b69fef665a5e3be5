"""Makes the connection to the broker: what it gets of a run, and may command."""

from functools import partial

import cv2

from vitcam.daemon.report import Reporter
from vitcam.daemon.run import Run
from vitcam.daemon.running_settings import RunningSettings
from vitcam.parts.mqtt.announcer import Announcer
from vitcam.parts.mqtt.broker import Broker
from vitcam.parts.mqtt.client import MqttClient
from vitcam.parts.mqtt.commands import MqttCommands
from vitcam.parts.mqtt.discovery import birth_topic
from vitcam.parts.mqtt.home_assistant import AskedLabels, CameraFacts
from vitcam.parts.mqtt.retained import Retained
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.shared import Listener, MqttParts
from vitcam.parts.mqtt.topics import Topics
from vitcam.pictures.encode import encode_jpeg
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run.report import Report
from vitcam.slot import Current
from vitcam.sources.playback import Playback
from vitcam.web.stream.encoder import draw
from vitcam.web.stream.variant import Variant

_SMALLEST_SIDE = 48  # px
_QUALITY_OF_SMALL = 75


def make(run: Run) -> list[object]:
    """The connection to the broker; none where the settings name no broker."""
    settings = run.settings[MqttSettings]
    if not settings.host:
        return []
    topics, retained = Topics.of(settings), Retained()
    announcer = Announcer(
        settings.discovery,
        run.folder,
        run.report.watched,
        CameraFacts(run.settings, run.report, run.model, run.objects, run.machine),
        retained,
    )
    pause = partial(_pause, run.pipeline, run.playback)
    leave = partial(_leave, run.running)
    commands = MqttCommands(run.running, run.models, pause, leave) if settings.commands else None
    picture = partial(_picture, run.pipeline, run.default)
    report = partial(_report, announcer, run.report)
    parts = MqttParts(topics, run.outbox, report, picture, commands, run.objects, retained=retained)
    client = MqttClient(Broker(settings, topics), parts, settings.snapshots)
    if settings.discovery:
        parts.listeners = (Listener(birth_topic(settings.discovery), partial(_hear_birth, client)),)
    return [client, AskedLabels(settings.labels)]


def _report(announcer: Announcer, report: Reporter) -> Report:
    """The state message, once what has changed of the camera is announced."""
    announcer.announce_changes()
    return report()


def _hear_birth(client: MqttClient, text: str) -> None:
    """Home Assistant has come up, or goes."""
    if text == "online":
        client.announce()


def _pause(pipeline: Pipeline, playback: Playback, paused: bool) -> None:
    """Photos and films stand still; of a camera, frames are not classified."""
    if not playback.pause(paused):
        pipeline.pause(paused)


def _leave(running: RunningSettings) -> float:
    return running.running.events.leave


def _picture(pipeline: Pipeline, default: Current[Variant], most_bytes: int) -> bytes | None:
    """What `/snapshot.jpg` shows, smaller where that is more than `most_bytes`; None while there is no picture."""
    latest = pipeline.latest.peek()
    if latest is None:
        return None
    picture = draw(latest, default.value)
    jpeg = encode_jpeg(picture, default.value.quality)
    while len(jpeg) > most_bytes and min(picture.shape[:2]) >= 2 * _SMALLEST_SIDE:
        picture = cv2.resize(picture, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA)
        jpeg = encode_jpeg(picture, min(default.value.quality, _QUALITY_OF_SMALL))
    return jpeg

"""The parts of a run that a broker gets and may command."""

from functools import partial

import cv2

from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.run_state import RunState
from vitcam.daemon.running_settings import RunningSettings
from vitcam.parts.mqtt.announcer import Announcer
from vitcam.parts.mqtt.broker import Broker
from vitcam.parts.mqtt.client import MqttClient
from vitcam.parts.mqtt.commands import MqttCommands
from vitcam.parts.mqtt.discovery import birth_topic
from vitcam.parts.mqtt.parts import Listener, MqttParts
from vitcam.parts.mqtt.report import Reporter
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import Topics
from vitcam.pictures.encode import encode_jpeg
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run.run import Objects
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.sources.playback import Playback
from vitcam.storage.outbox import Outbox
from vitcam.web.stream.encoder import draw
from vitcam.web.stream.variant import Variant

_SMALLEST_SIDE = 48  # px
_QUALITY_OF_SMALL = 75


def mqtt_of(
    settings: MqttSettings,
    outbox: Outbox,
    pipeline: Pipeline,
    publisher: Publisher,
    state: RunState,
    models: RunningModel,
    model: Current[RunModel],
    default: Current[Variant],
    playback: Playback,
    running: RunningSettings,
    objects: Objects,
    announcer: Announcer,
) -> MqttClient:
    """The connection to the broker of the settings; nothing runs yet."""
    topics = Topics.of(settings)
    broker = Broker(settings, topics)
    report = Reporter(
        state=state,
        newest=state.newest,
        lasting=lambda: publisher.lasting,
        settings=lambda: running.running,
        models=models,
        model=model,
        default=default,
        playback=playback,
        objects=objects,
        extra=announcer,
    )
    pause = partial(_pause, pipeline, playback)
    commands = MqttCommands(running, models, pause, lambda: running.running.events.leave) if settings.commands else None
    client = MqttClient(
        broker,
        MqttParts(topics, outbox, report, partial(_picture, pipeline, default), commands),
        settings.snapshots,
    )
    announcer.retain = client.retain
    if settings.discovery:
        client.parts.listeners = (Listener(birth_topic(settings.discovery), partial(_hear_birth, client)),)
    return client


def _hear_birth(client: MqttClient, text: str) -> None:
    """Home Assistant has come up, or goes."""
    if text == "online":
        client.announce()


def _pause(pipeline: Pipeline, playback: Playback, paused: bool) -> None:
    """Photos and films stand still; of a camera, frames are not classified."""
    if not playback.pause(paused):
        pipeline.pause(paused)


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

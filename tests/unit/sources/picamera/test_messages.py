"""The messages between the daemon and the camera's process."""

import gc
import mmap
import weakref

import numpy as np
import pytest

from vitcam.pictures.resize import InputSpec
from vitcam.processes.child import MAX_MESSAGE, pack, unpack
from vitcam.rects import Rect
from vitcam.sources.picamera.messages import KINDS, CameraConfig, CameraFailed, Captured, DetailCut, Message, Ready


@pytest.mark.parametrize(
    "message",
    [
        Ready(720, 1280, 224, 224),
        Ready(480, 640, room=921_600, following="cut from 1920×1080 px", camera_bytes=10**8),
        Captured(3, 70_000, 2**62),
        Captured(3, 70_000, 2**62, [[1279, 719, 1000, 1000, 2000, 2000]] * 3),
        CameraFailed("x" * 900),
    ],
)
def test_every_message_arrives_as_it_was_sent(message: Message) -> None:
    packet = pack(message)

    assert unpack(packet, KINDS) == message
    assert len(packet) < MAX_MESSAGE


@pytest.mark.parametrize("spec", [None, InputSpec(96, 128, "squash", 0.5, "linear")])
def test_a_camera_config_survives_the_command_line(spec: InputSpec | None) -> None:
    config = CameraConfig(1, 1280, 720, 29.97, spec)

    assert CameraConfig.from_json(config.to_json()) == config


def test_the_buffers_lie_side_by_side_and_never_overlap() -> None:
    ready = Ready(4, 6, 2, 2)
    memory = mmap.mmap(-1, 3 * ready.buffer_size)
    for slot in range(3):
        preview, small = ready.pictures(ready.bytes_of(memory, slot))
        assert small is not None
        preview[:], small[:] = 10 * slot + 1, 10 * slot + 2

    for slot in range(3):
        preview, small = ready.pictures(ready.bytes_of(memory, slot))
        assert small is not None
        assert (preview.shape, small.shape) == ((4, 6, 3), (2, 2, 3))
        assert np.unique(preview).tolist() == [10 * slot + 1]
        assert np.unique(small).tolist() == [10 * slot + 2]


def test_details_lie_behind_the_pictures_one_after_the_other() -> None:
    ready, cuts = Ready(4, 6, 2, 2, room=200), [DetailCut(1, 1, 2, 2, 4, 6), DetailCut(0, 0, 3, 3, 2, 8)]
    memory = mmap.mmap(-1, 2 * ready.buffer_size)
    for n, picture in enumerate(ready.details(ready.bytes_of(memory, 1), cuts)):
        picture[:] = n + 1
    used = ready.bytes_of(memory, 1, cuts)
    first, second = ready.details(used, cuts)

    assert used.size == 3 * (24 + 4 + 24 + 16)
    assert (first.shape, second.shape) == ((4, 6, 3), (2, 8, 3))
    assert (np.unique(first).tolist(), np.unique(second).tolist()) == ([1], [2])
    assert cuts[0].rect == Rect(1, 1, 2, 2)
    assert not any(picture is not None and picture.any() for picture in ready.pictures(used))
    assert not ready.bytes_of(memory, 0).any()


def test_a_buffer_lives_as_long_as_any_part_of_any_of_its_pictures() -> None:
    ready = Ready(4, 6, 2, 2)
    lent = ready.bytes_of(mmap.mmap(-1, ready.buffer_size), 0)
    gone = weakref.finalize(lent, lambda: None)
    preview, small = ready.pictures(lent)
    part = preview[1:3, 2:4, ::-1]
    del lent, preview
    gc.collect()
    assert gone.alive
    del small
    assert gone.alive
    del part

    assert not gone.alive

"""The bundled clip."""

import re
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.needs import need_model
from vitcam.errors import SourceError
from vitcam.model.classifier import Classifier
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam.rects import Rect
from vitcam.sources import SourceOptions, demo, film, open_source
from vitcam.sources.demo import CLIP, RAM_FRAMES
from vitcam.sources.film import Film

SPEC = InputSpec(224, 224)
FAST = SourceOptions(input=SPEC, realtime=False)


def test_the_clip_is_small_and_of_a_cameras_size_and_rate() -> None:
    with Film(CLIP) as clip:
        picture = next(iter(clip)).picture()

    assert picture is not None
    assert (picture.shape, clip.fps) == ((720, 1280, 3), 30)
    assert 20 <= clip.announced / clip.fps <= 25
    assert CLIP.stat().st_size <= 3_000_000


def test_a_player_of_the_clip_has_to_keep_two_frames_and_no_more() -> None:
    said = re.search(rb"x264 - core .*? ref=(\d+) .*? b_pyramid=(\d+) ", CLIP.read_bytes())

    assert said is not None
    assert said.groups() == (b"2", b"0")  # 16 and a pyramid cost 25 MB of every daemon that shows it


def test_one_thread_decodes_a_small_clip_at_its_own_pace_and_several_do_where_that_is_too_slow() -> None:
    for paced, most_px_per_s, threads in ((True, 1280 * 720 * 30, 1), (True, 1280 * 720 * 29, 0), (False, 10**9, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(film, "_LIGHT_PX_PER_S", most_px_per_s)
            with Film(CLIP, paced=paced) as clip:
                assert clip._stream.codec_context.thread_count in ({1} if threads else {0, *range(2, 65)})


def test_every_photo_in_the_clip_is_credited_with_a_licence() -> None:
    script = (Path(__file__).parents[3] / "examples" / "showcase_photos.py").read_text()
    photos = set(re.findall(r"(\w+\.(?:png|exr|mp4))\"", script)) | {"ascent", "alibi.datasets.load_cats"}
    rows = [line for line in CLIP.with_suffix(".md").read_text().splitlines() if line.startswith("|")]

    assert len(photos) == len(rows) - 2 == 6
    for photo in photos:
        row = next(line for line in rows if f"`{photo}`" in line)
        assert re.search(r"CC0|public domain|BSD", row), row


def test_the_demo_is_the_clip_at_its_own_pace_for_ever() -> None:
    with open_source("demo", SourceOptions(input=SPEC)) as source:
        frame = next(iter(source))

    assert source.live
    assert frame.source == "demo"
    assert frame.path is None
    assert frame.preview.shape == (720, 1280, 3)
    assert frame.crop == Rect(280, 0, 720, 720)


def test_the_demo_from_memory_delivers_what_a_pis_scaler_would() -> None:
    with open_source("demo:ram", FAST) as source:
        frames = list(islice(source, RAM_FRAMES + 2))
    first, again = frames[0], frames[RAM_FRAMES]

    assert not source.live
    assert [frame.seq for frame in frames] == list(range(RAM_FRAMES + 2))
    assert again.preview is first.preview
    assert first.model_input is not None
    assert np.array_equal(first.model_input, to_model_size(first.preview, SPEC))
    assert len({frame.preview.tobytes()[::9973] for frame in frames[:RAM_FRAMES]}) == RAM_FRAMES


def test_the_demo_from_memory_stays_small_and_nobody_can_spoil_it() -> None:
    with open_source("demo:ram", FAST) as source:
        frames = list(islice(source, RAM_FRAMES))
    held = sum(
        frame.preview.nbytes + (0 if frame.model_input is None else frame.model_input.nbytes) for frame in frames
    )

    assert held < 145_000_000
    with pytest.raises(ValueError, match="read-only"):
        frames[0].preview[0] = 0
    assert frames[0].model_input is not None
    assert not frames[0].model_input.flags.writeable


def test_the_demo_from_memory_ends_after_one_turn_when_told_to_and_with_stop() -> None:
    with open_source("demo:ram", SourceOptions(realtime=False, loop=False)) as source:
        once = [frame.model_input for frame in source]
    with open_source("demo:ram", FAST) as source:
        for frame in source:
            if frame.seq == 99:
                source.stop()

    assert once == [None] * RAM_FRAMES, "there is no model"
    assert frame.seq == 99


def test_an_unknown_demo_is_refused_with_those_that_are() -> None:
    with pytest.raises(SourceError, match="known are demo and demo:ram"):
        open_source("demo:tape")


def test_a_damaged_installation_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "CLIP", tmp_path / "demo.mp4")

    with pytest.raises(SourceError, match="there is no file"), open_source("demo:ram", FAST):
        pass


def test_the_bundled_model_names_six_things_in_the_clip_most_of_the_time() -> None:
    classifier = Classifier(str(need_model("everyday")), threads=1)
    options = SourceOptions(input=classifier.input, realtime=False, loop=False)
    seen: Counter[str] = Counter()
    with open_source("demo", options) as source:
        for frame in islice(source, 0, None, 15):  # two a second, of 22 seconds
            seen[str(classifier(frame).shown.label)] += 1

    things = ("espresso", "person", "Labrador", "Egyptian cat", "cockatoo", "Siamese cat")
    assert [name for name in things if seen[name] < 3] == []
    assert sum(seen.values()) == 44

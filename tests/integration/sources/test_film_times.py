"""A film lasts as long as it should, whatever its file says of times; and only a damaged one is called so."""

import logging
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.needs import need_program
from tests.videos import encode_film
from vitcam.errors import SourceError
from vitcam.frames import Unreadable
from vitcam.sources import SourceOptions, open_source
from vitcam.sources.film import Film

FAST = SourceOptions(realtime=False)


def pictures(count: int) -> list[NDArray[np.uint8]]:
    """(96, 128, 3) uint8, RGB, each of its own noise, so that every frame of a film has as many bytes."""
    return list(np.random.default_rng(0).integers(0, 255, (count, 96, 128, 3), np.uint8))


def positions(film: Path) -> list[float]:
    with Film(film) as shots:
        return [round(shot.position_s, 3) for shot in shots]


def play(film: Path, options: SourceOptions = FAST) -> tuple[int, list[str]]:
    """How many frames came, and what was reported."""
    reported: list[Unreadable] = []
    with open_source(str(film), replace(options, on_unreadable=reported.append)) as source:
        return len(list(source)), [bad.error for bad in reported]


@pytest.mark.parametrize(("name", "codec"), [("raw.h264", "libx264"), ("raw.hevc", "libx265"), ("raw.mjpeg", "mjpeg")])
def test_a_film_without_times_takes_as_long_as_it_was_recorded(
    tmp_path: Path, name: str, codec: str, caplog: pytest.LogCaptureFixture
) -> None:
    film = encode_film(tmp_path / name, pictures(20), codec=codec, fps=25)
    started = time.monotonic()
    with caplog.at_level(logging.WARNING):
        count, reported = play(film, SourceOptions())

    assert count == 20
    assert 0.7 < time.monotonic() - started < 3
    assert reported == []
    assert "raw." in caplog.text
    assert "25 frames/s are assumed" in caplog.text


def test_a_film_without_times_begins_again_and_can_be_left_and_entered(tmp_path: Path) -> None:
    film = encode_film(tmp_path / "raw.h264", pictures(5))
    source = open_source(str(film), replace(FAST, loop=True))
    for _ in range(2):
        with source:
            seen = []
            for frame in source:
                seen.append(frame.seq)
                if len(seen) == 12:
                    source.stop()
        assert seen == list(range(12))


def test_a_variable_rate_is_kept(tmp_path: Path) -> None:
    times = [0.0, 0.04, 0.08, 1.5, 1.54, 9.0]

    assert positions(encode_film(tmp_path / "film.mkv", pictures(6), times=times)) == times
    assert play(tmp_path / "film.mkv") == (6, [])


def test_times_that_begin_anywhere_begin_at_zero(tmp_path: Path) -> None:
    times = [5.0, 5.1, 5.2]

    assert positions(encode_film(tmp_path / "film.mkv", pictures(3), times=times)) == [0.0, 0.1, 0.2]


def test_times_that_jump_back_go_on_from_there(tmp_path: Path) -> None:
    parts = [encode_film(tmp_path / f"{part}.ts", pictures(3)).read_bytes() for part in "ab"]
    (tmp_path / "film.ts").write_bytes(b"".join(parts))

    assert positions(tmp_path / "film.ts") == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]


def avi_with(tmp_path: Path, change: Callable[[bytearray, int, int], None]) -> Path:
    """An AVI whose header was changed: `change` gets its bytes, and where `avih` and `strh` begin."""
    film = encode_film(tmp_path / "film.avi", pictures(10), codec="mjpeg")
    data = bytearray(film.read_bytes())
    change(data, data.index(b"avih") + 8, data.index(b"strh") + 8)
    film.write_bytes(data)
    return film


def avi_at_rate(tmp_path: Path, scale: int, rate: int) -> Path:
    """An AVI whose header says `rate / scale` frames/s."""

    def change(data: bytearray, avih: int, strh: int) -> None:
        data[avih : avih + 4] = bytes(4)
        data[strh + 20 : strh + 28] = scale.to_bytes(4, "little") + rate.to_bytes(4, "little")

    return avi_with(tmp_path, change)


@pytest.mark.parametrize(
    ("scale", "rate", "said"), [(1, 10_000_000, True), (1000, 1, True), (1, 0, False), (0, 0, False)]
)
def test_a_rate_in_the_header_that_cannot_be_is_replaced_and_said(
    tmp_path: Path, scale: int, rate: int, said: bool, caplog: pytest.LogCaptureFixture
) -> None:
    film = avi_at_rate(tmp_path, scale, rate)

    assert positions(film)[-1] == pytest.approx(9 / 25)
    assert play(film) == (10, [])
    assert ("25 frames/s are assumed" in caplog.text) == said


def test_a_number_of_frames_that_is_not_true_is_no_damage(tmp_path: Path) -> None:
    def lie(data: bytearray, avih: int, strh: int) -> None:
        for at in (avih + 16, strh + 32):
            data[at : at + 4] = (1000).to_bytes(4, "little")

    assert play(avi_with(tmp_path, lie)) == (10, [])


def test_a_trimmed_film_is_not_called_damaged(tmp_path: Path) -> None:
    whole = encode_film(tmp_path / "whole.mp4", pictures(20))
    trimmed = tmp_path / "trimmed.mp4"
    subprocess.run(
        [need_program("ffmpeg"), "-v", "error", "-ss", "1", "-i", whole, "-c", "copy", trimmed], check=True, timeout=60
    )
    with av.open(str(trimmed)) as container:
        assert container.streams.video[0].frames == 20, "the lead-in should still be in the file, hidden by its list"

    assert play(trimmed) == (10, [])


@pytest.mark.parametrize(
    ("name", "codec", "options"),
    [
        ("film.mp4", "libx264", {"movflags": "faststart"}),
        ("fragments.mp4", "libx264", {"movflags": "frag_keyframe+empty_moov"}),
        ("film.mkv", "libx264", {}),
        ("film.avi", "mjpeg", {}),
    ],
)
def test_a_film_that_is_cut_off_is_called_truncated_and_a_whole_one_is_not(
    tmp_path: Path, name: str, codec: str, options: dict[str, str]
) -> None:
    film = encode_film(tmp_path / name, pictures(20), codec=codec, options=options)
    assert play(film) == (20, [])

    film.write_bytes(film.read_bytes()[: film.stat().st_size * 7 // 10])
    count, reported = play(film)

    assert 0 < count < 20
    assert len(reported) == 1
    assert f"ends after {count} of 20 frames" in reported[0] or f"ends after frame {count}, and" in reported[0]
    assert "truncated" in reported[0]


def test_damage_in_the_middle_is_reported_and_the_rest_is_played(tmp_path: Path) -> None:
    film = encode_film(tmp_path / "film.mp4", pictures(20), options={"movflags": "faststart"})
    data = bytearray(film.read_bytes())
    begin = data.index(b"mdat") + 4
    third = (len(data) - begin) // 3
    data[begin + third : begin + 2 * third] = np.random.default_rng(1).bytes(third)
    film.write_bytes(data)
    count, reported = play(film)

    assert 5 < count <= 20
    assert len(reported) == 1
    assert reported[0].endswith("cannot be decoded: damaged")


def test_a_recording_that_begins_between_two_key_frames_is_not_called_damaged(tmp_path: Path) -> None:
    film = encode_film(tmp_path / "film.ts", pictures(30), gop=15)
    film.write_bytes(film.read_bytes()[film.stat().st_size // 1880 * 188 :])
    count, reported = play(film)

    assert 10 < count < 30
    assert reported == []


def test_a_file_with_sound_alone_is_named(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "sound.mkv"), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        assert isinstance(stream, av.AudioStream)
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.int16), format="s16", layout="mono")
        sound.sample_rate = 8000
        container.mux(stream.encode(sound))

    with pytest.raises(SourceError, match=r"sound\.mkv holds no video") as refused:
        play(tmp_path / "sound.mkv")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("claimed", [2**62, 2**63, 2**64 - 1])
def test_a_film_that_claims_an_absurd_size_is_truncated_and_ends_nothing(tmp_path: Path, claimed: int) -> None:
    film = encode_film(tmp_path / "film.mp4", pictures(3))
    box = (1).to_bytes(4, "big") + b"free" + claimed.to_bytes(8, "big")
    film.write_bytes(film.read_bytes() + box)
    count, reported = play(film)

    assert count == 3
    assert len(reported) == 1
    assert "bytes are missing" in reported[0]

"""What weather and a camera do to a picture: light, rain, wind, noise, compression."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image

WEATHERS = ("calm", "wind", "rain", "clouds", "night")
_DAY_NOISE, _NIGHT_NOISE = 2.2, 9.0  # standard deviation, levels of 255
_SPARE_PX = 64  # a frame's noise is a part of a larger picture of noise
QUALITY = 85
_DARK = 0.45  # share of the levels of day that a camera makes of a night
_INFRARED = (0.55, 0.3, 0.15)
_BEAM = 0.6  # width of the lamp's light, in parts of the diagonal


class Weather:
    """Of one clip. Called for each frame in order.

    kind      one of `WEATHERS`
    infrared  how a camera sees at night: by a lamp of its own, grey; else by little light
    film      compressed as H.264, as network cameras do; else each picture as JPEG
    quality   of each JPEG
    """

    def __init__(
        self,
        kind: str,
        seed: int,
        height: int,
        width: int,
        infrared: bool = False,
        film: bool = False,
        quality: int = QUALITY,
    ) -> None:
        self._rng = np.random.default_rng([7, seed])
        self.kind = kind
        self._size = (height, width)
        self._infrared = infrared
        self._noise = _noise(height, width, _NIGHT_NOISE if kind == "night" else _DAY_NOISE)
        self._streaks = _streaks(height, width) if kind == "rain" else None
        self._beam = _beam(height, width) if kind == "night" and infrared else None
        self._shade = _cloud_shade(seed) if kind == "clouds" else None
        self._compressed = Film(height, width) if film else partial(compressed, quality=quality)
        self._phases = self._rng.uniform(0, 2 * np.pi, 8)

    def gust(self, t: float) -> float:
        """How strongly the wind blows, -1 to 1; next to nothing where there is none."""
        a, b, c, d = self._phases[:4]
        blows = 0.5 + 0.5 * np.sin(0.37 * t + a) * np.sin(0.11 * t + b)
        sway = 0.7 * np.sin(3.1 * t + c) + 0.3 * np.sin(7.3 * t + d)
        return float((1.0 if self.kind == "wind" else 0.02) * blows * sway)

    def over(self, picture: Image, t: float) -> Image:
        """What the camera delivers of the scene at a time.

        picture  (H, W, 3) uint8, RGB
        returns  the same shape
        """
        if self._streaks is not None:
            y, x = (int(self._rng.integers(0, n)) for n in (self._size[0] // 2, self._size[1] // 2))
            picture = cv2.add(picture, self._streaks[y : y + self._size[0], x : x + self._size[1]]).astype(np.uint8)
        if self._shade is not None:
            picture = self._shaded(picture, t)
        if self.kind == "night":
            picture = self._dark(picture)
        y, x = (int(each) for each in self._rng.integers(0, _SPARE_PX, 2))
        noise = self._noise[y : y + self._size[0], x : x + self._size[1]]
        return self._compressed(np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8))

    def _shaded(self, picture: Image, t: float) -> Image:
        """Shadows of clouds pass over the scene, and the exposure follows."""
        assert self._shade is not None
        height, width = self._size
        at = round(12 * t) % (self._shade.shape[1] - 80)
        part = np.ascontiguousarray(self._shade[:, at : at + 80])
        light = cv2.resize(part, (width, height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(cv2.multiply(picture, cv2.merge([light] * 3), scale=1 / 220), np.uint8)

    def _dark(self, picture: Image) -> Image:
        grey = cv2.transform(picture, np.array([_INFRARED], np.float32)) if self._infrared else None
        if grey is not None and self._beam is not None:
            lit = cv2.multiply(grey, self._beam, scale=1 / 255)
            return np.asarray(cv2.merge([lit] * 3), np.uint8)
        dull = cv2.addWeighted(picture, 0.5, cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), 8), 0.5, 0)
        return np.asarray(cv2.convertScaleAbs(dull, alpha=_DARK, beta=4), np.uint8)


def weather_of(kind: str, number: int, height: int, width: int, quality: int = QUALITY) -> Weather:
    """The weather of the clip with this number: every second night is infrared, and about half are films."""
    return Weather(kind, number, height, width, infrared=number % 2 == 1, film=number // 3 % 2 == 1, quality=quality)


class Film:
    """H.264 with a key frame every four seconds; each picture comes out before the next goes in."""

    def __init__(self, height: int, width: int) -> None:
        encoder = av.CodecContext.create("libx264", "w")
        assert isinstance(encoder, av.VideoCodecContext)
        encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuv420p"
        encoder.time_base, encoder.thread_count, encoder.gop_size = Fraction(1, 1000), 1, 40
        encoder.options = {"preset": "ultrafast", "tune": "zerolatency", "crf": "24"}
        decoder = av.CodecContext.create("h264", "r")
        assert isinstance(decoder, av.VideoCodecContext)
        decoder.thread_count, decoder.options = 1, {"flags": "low_delay"}
        self._encoder, self._decoder, self._count = encoder, decoder, 0

    def __call__(self, picture: Image) -> Image:
        """(H, W, 3) uint8, RGB: as it comes out of the decoder."""
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        frame.pts, frame.time_base = self._count, Fraction(1, 1000)
        self._count += 1
        decoded = [out for packet in self._encoder.encode(frame) for out in self._decoder.decode(packet)]
        return np.asarray(decoded[-1].to_ndarray(format="rgb24"), np.uint8)


def compressed(picture: Image, quality: int) -> Image:
    """(H, W, 3) uint8, RGB: as it comes out of a JPEG."""
    _, data = cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB), np.uint8)


@cache
def _noise(height: int, width: int, deviation: float) -> NDArray[np.int16]:
    shape = (height + _SPARE_PX, width + _SPARE_PX, 3)
    rng = np.random.default_rng(1)
    coloured = rng.normal(0, deviation, shape).astype(np.float32)
    grey = rng.normal(0, deviation, (*shape[:2], 1)).astype(np.float32)
    return np.asarray(np.round((coloured + grey) / np.sqrt(2)), np.int16)


@cache
def _streaks(height: int, width: int) -> Image:
    """Falling drops, bright and slanted a little; a frame shows a part of it."""
    rng = np.random.default_rng(2)
    shape = (height * 3 // 2 + 1, width * 3 // 2 + 1)
    found = np.zeros(shape, np.uint8)
    for _ in range(900):
        x, y = round(rng.uniform(0, shape[1])), round(rng.uniform(0, shape[0]))
        length = rng.uniform(0.02, 0.06) * height
        end = (round(x + 0.15 * length), round(y + length))
        cv2.line(found, (x, y), end, float(rng.uniform(12, 45)), max(1, height // 500))
    return np.asarray(cv2.merge([cv2.GaussianBlur(found, (3, 3), 0)] * 3), np.uint8)


@cache
def _beam(height: int, width: int) -> NDArray[np.uint8]:
    y, x = (np.linspace(-1, 1, n, dtype=np.float32) * n / np.hypot(height, width) for n in (height, width))
    return np.asarray(255 * (0.15 + 0.85 * np.exp(-(y[:, None] ** 2 + x**2) / (2 * _BEAM**2))), np.uint8)


def _cloud_shade(seed: int) -> NDArray[np.uint8]:
    """(45, 2000): the light of a sky that drifts, about 110 in a shadow and 220 in the sun; a view is 80 wide.

    The edge of a shadow takes about half of a view of 20 m: the sun is half a degree wide, and a cloud 1 km away.
    """
    small = np.random.default_rng([3, seed]).normal(size=(3, 25)).astype(np.float32)
    wide = cv2.resize(small, (2000, 45), interpolation=cv2.INTER_CUBIC)
    return np.asarray(165 + 55 * np.tanh(2 * wide), np.uint8)

"""Every setting: default, meaning, range. Checks, schema, documentation and example are derived from here."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from vitcam.config.duration import DURATION_WORDS, is_duration
from vitcam.pictures.view import CROP_WORDS, Flip, Rotate, is_region

OverlayMode = Literal["auto", "none", "evidence", "attention", "rollout", "heat", "grid"]
LogFormat = Literal["auto", "rich", "json"]
Emit = Literal["auto", "changes", "all"]

_HOST_NAME = re.compile(r"(?=.{1,253}\.?$)[\w-]{1,63}(\.[\w-]{1,63})*\.?")


def is_host_name(text: str) -> bool:
    """Whether it is one name of a machine, without a port, as DNS has it."""
    return _HOST_NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Rule:
    """What is said and allowed of one setting."""

    doc: str
    low: float | None = None
    high: float | None = None
    filled: bool = False
    """True: a text that may not be empty."""
    form: Callable[[str], bool] | None = None
    """Whether a text that is not empty can be meant; each one of a list."""
    form_words: str = ""
    """What `form` accepts."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Where pictures come from, and what is asked of the camera."""

    source: Annotated[
        str,
        Rule(
            "URI of the source: picamera, v4l2:/dev/video0, rtsp://…, http://… (MJPEG), - (a pipe), a file, a folder, "
            "demo; empty: the first camera"
        ),
    ] = ""
    width: Annotated[
        int,
        Rule(
            "Width asked of the camera, in px; larger pictures of a network camera are halved while they stay as large",
            low=64,
            high=8192,
        ),
    ] = 1280
    height: Annotated[int, Rule("Height asked of the camera, in px; as with the width", low=64, high=8192)] = 720
    fps: Annotated[float, Rule("Rate asked of the camera, in frames/s", low=0.1, high=240)] = 30.0
    rotate: Annotated[Rotate, Rule("Degrees by which pictures are turned clockwise to be upright")] = 0
    flip: Annotated[
        Flip, Rule("Mirrored left to right (h), top to bottom (v) or both, after `rotate`: for mirrors and periscopes")
    ] = "none"
    crop: Annotated[
        str,
        Rule(
            "What the model is shown of the upright picture; 0,0,1,1: all of it; empty: of a camera what was chosen "
            "on the page last, else all of it",
            form=is_region,
            form_words=CROP_WORDS,
        ),
    ] = ""
    every: Annotated[
        str,
        Rule(
            "How long each photo of a folder is shown where the page is served and --no-realtime was not given",
            filled=True,
            form=is_duration,
            form_words=DURATION_WORDS,
        ),
    ] = "3s"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What looks at the pictures."""

    name: Annotated[str, Rule("Name of an installed model, or a .tflite file", filled=True)] = "everyday"
    labels: Annotated[str, Rule("File with one label a line; empty: the labels that the model file carries")] = ""
    threads: Annotated[
        int, Rule("Threads of the interpreter; 0: every core, on four and more all but one", low=0, high=64)
    ] = 0
    fps: Annotated[float, Rule("At most so many predictions/s; 0: as many as there are frames", low=0, high=240)] = 0.0
    top_k: Annotated[int, Rule("How many of the most probable labels are reported", low=1, high=1000)] = 5


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """A live camera before which nothing moves may rest. Off by default: what creeps or is tiny would not wake it."""

    enabled: Annotated[
        bool, Rule("Classify fewer frames of a live source while nothing moves in what the model sees")
    ] = False
    threshold: Annotated[
        float,
        Rule(
            "Levels of 255 by which a spot must change to have moved; more where the picture is noisy", low=1, high=100
        ),
    ] = 6.0
    hold_s: Annotated[
        float, Rule("Every frame is classified until nothing has moved for so long, in s", low=0, high=3600)
    ] = 3.0
    rest_fps: Annotated[float, Rule("At most so many predictions/s while nothing moves", low=0.01, high=60)] = 1.0


@dataclass(frozen=True, slots=True)
class EventSettings:
    """When a label counts as seen: smoothing, two thresholds, and how long it must last."""

    half_life_s: Annotated[
        float, Rule("Half-life of the smoothing of probabilities, in s; 0: none", low=0, high=60)
    ] = 0.5
    enter: Annotated[float, Rule("An event begins when the smoothed probability reaches this", low=0, high=1)] = 0.5
    leave: Annotated[
        float,
        Rule("An event ends when the smoothed probability falls below this; at most `enter`", low=0, high=1),
    ] = 0.3
    dwell_s: Annotated[float, Rule("How long a label must hold before its event begins, in s", low=0, high=3600)] = 0.5


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The page, the streams and the HTTP interface."""

    enabled: Annotated[bool, Rule("Serve the page and the HTTP interface")] = True
    host: Annotated[str, Rule("Address to listen on; 0.0.0.0 lets everybody on the network watch", filled=True)] = (
        "127.0.0.1"
    )
    port: Annotated[int, Rule("TCP port to listen on; 0: any free one", low=0, high=65535)] = 8420
    names: Annotated[
        tuple[str, ...],
        Rule(
            "Names of this machine in DNS by which the page may be opened when `host` is not this machine alone. IP "
            "addresses, names without a dot, and names in .local, .lan and .home.arpa need no entry. The environment "
            "and --set take them with commas between",
            form=is_host_name,
            form_words="host names such as cam.example.org",
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class OverlaySettings:
    """What is drawn over a picture unless its viewer asks for something else."""

    mode: Annotated[
        OverlayMode,
        Rule(
            "What is drawn: evidence (what spoke for the answer), attention or rollout over the picture, the heat map "
            "alone, the grid of patches; auto: evidence where the model gives it, else attention"
        ),
    ] = "auto"
    opacity: Annotated[float, Rule("How much the overlay covers the picture", low=0, high=1)] = 0.5


@dataclass(frozen=True, slots=True)
class LogSettings:
    """What the console shows."""

    format: Annotated[LogFormat, Rule("auto: rich on a terminal, JSON lines otherwise")] = "auto"
    emit: Annotated[
        Emit,
        Rule("Predictions that are printed; auto: all from files played unpaced, else changes of the top label"),
    ] = "auto"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; frozen, so that whoever holds one knows what runs."""

    camera: CameraSettings = CameraSettings()
    model: ModelSettings = ModelSettings()
    motion: MotionSettings = MotionSettings()
    events: EventSettings = EventSettings()
    web: WebSettings = WebSettings()
    overlay: OverlaySettings = OverlaySettings()
    log: LogSettings = LogSettings()


@dataclass(frozen=True, slots=True)
class Option:
    """One setting, as validation and documentation need it."""

    section: str
    key: str
    kind: type[Any]
    """bool, int, float, str or tuple (of texts)."""
    default: Any
    choices: tuple[str | int, ...]
    """Empty: any value within the rule."""
    rule: Rule

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"VITCAM_{self.section}_{self.key}".upper()

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices[:-1]) + f" or {self.choices[-1]}"
        if self.kind is bool:
            return "true or false"
        if self.kind is tuple:
            return f"a list of {self.rule.form_words or 'texts'}"
        if self.rule.form_words:
            return self.rule.form_words
        if self.kind is str:
            return "a text that is not empty" if self.rule.filled else "a text"
        noun = "a whole number" if self.kind is int else "a number"
        return f"{noun} from {self.rule.low:g} to {self.rule.high:g}"


def sections() -> dict[str, type[Any]]:
    """Section name -> its dataclass, in the order of the file."""
    return get_type_hints(Settings)


@cache
def options() -> Mapping[str, Option]:
    """`section.key` -> option, in the order of the file."""
    found = [
        _option(section, f, get_type_hints(room, include_extras=True)[f.name])
        for section, room in sections().items()
        for f in dataclasses.fields(room)
    ]
    return MappingProxyType({option.name: option for option in found})


def _option(section: str, f: dataclasses.Field[Any], hint: type[Any]) -> Option:
    plain, rule = get_args(hint)  # of Annotated
    choices = get_args(plain) if get_origin(plain) is Literal else ()
    kind = type(f.default) if choices else get_origin(plain) or plain
    return Option(section, f.name, kind, f.default, choices, rule)

"""Every section and its settings: default, meaning, range. Checks, schema, manual and example are made from these."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar, get_type_hints

from vitcam.config.camera import CameraSettings
from vitcam.config.look import LookSettings, MotionSettings
from vitcam.config.names import NameSettings
from vitcam.config.open_sections import OPEN_SECTIONS
from vitcam.config.option import Option, Rule, Why, options_of
from vitcam.config.rules import OrderedRule
from vitcam.config.tables import RULES, TABLES, ZoneSettings, table_options
from vitcam.config.web import WebSettings
from vitcam.parts import PARTS
from vitcam.pictures.overlay_kinds import OVERLAYS

if TYPE_CHECKING:
    from vitcam.events import Rules

    OverlayMode = str
else:
    OverlayMode = Literal[("auto", *OVERLAYS)]
S = TypeVar("S")
R = TypeVar("R", bound=OrderedRule)
LogFormat = Literal["auto", "rich", "json"]
Emit = Literal["auto", "changes", "all"]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model classifies the pictures, and how."""

    name: Annotated[str, Rule("Name of an installed model, or a .tflite file", filled=True, page=Why.ELSEWHERE)] = (
        "everyday"
    )
    labels: Annotated[str, Rule("File with one label a line. Empty: the labels in the model file", page=Why.PATH)] = ""
    threads: Annotated[
        int,
        Rule(
            "Threads that run the model. 0: one for each core; with four cores or more, one fewer",
            low=0,
            high=64,
            page=Why.MACHINE,
        ),
    ] = 0
    fps: Annotated[
        float,
        Rule("Limit of predictions/s. 0: no limit, every frame is classified", low=0, high=240, live=True, page=True),
    ] = 0.0
    top_k: Annotated[
        int, Rule("Number of the most probable labels that are reported", low=1, high=1000, live=True, page=True)
    ] = 5
    likely: Annotated[
        float,
        Rule(
            "Display a name from this probability on, else that of a group that reaches it. The card of a model says "
            "from which on 95 % of the names were right",
            low=0.5,
            high=1,
            page=True,
        ),
    ] = 0.5


@dataclass(frozen=True, slots=True)
class EventSettings:
    """When a label counts as seen: smoothing, two thresholds, and how long it must last."""

    half_life_s: Annotated[
        float,
        Rule(
            "Half-life of the smoothing of probabilities, in s. 0: no smoothing", low=0, high=60, live=True, page=True
        ),
    ] = 0.5
    enter: Annotated[
        float, Rule("An event begins when the smoothed probability reaches this", low=0, high=1, live=True, page=True)
    ] = 0.5
    leave: Annotated[
        float,
        Rule(
            "An event ends when the smoothed probability falls below this. It may not be above `enter`",
            low=0,
            high=1,
            live=True,
            page=True,
        ),
    ] = 0.3
    dwell_s: Annotated[
        float, Rule("How long a label must last before its event begins, in s", low=0, high=3600, live=True, page=True)
    ] = 0.5
    gap_s: Annotated[
        float,
        Rule(
            "How long a thing may be out of sight and still be the same event, in s",
            low=0,
            high=3600,
            live=True,
            page=True,
        ),
    ] = 1.0

    @property
    def rules(self) -> "Rules":
        """Those that hold in every zone that has none of its own."""
        from vitcam.events import Rules  # it brings NumPy along, and `vitcam --help` needs none

        return Rules(self.half_life_s, self.enter, self.leave, self.dwell_s, gap_s=self.gap_s)


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What is kept of events, with their pictures. Files that are read at full speed leave none."""

    enabled: Annotated[bool, Rule("Keep events and their pictures", page=True)] = True
    keep_days: Annotated[
        float,
        Rule(
            "Events older than this are deleted, in days, except favourites. 0: no limit",
            low=0,
            high=36500,
            live=True,
            page=True,
        ),
    ] = 30.0
    max_mb: Annotated[
        float,
        Rule(
            "Room for events, pictures and videos, in MB. The oldest are deleted first, except favourites. 0: no limit",
            low=0,
            high=1e7,
            live=True,
            page=True,
        ),
    ] = 500.0
    forget: Annotated[
        tuple[str, ...],
        Rule(
            "Labels and groups whose events are not kept; unknown is one of them. In the environment and with --set, "
            "put commas between them",
            labels=True,
            page=True,
        ),
    ] = ()
    unread: str = ""
    """Why nobody knows how long events are to be kept, as the end of a sentence: none is deleted because of its age."""


@dataclass(frozen=True, slots=True)
class OverlaySettings:
    """What is drawn over a picture, unless its viewer chooses something else."""

    mode: Annotated[
        OverlayMode,
        Rule(
            "What is drawn: evidence (which patches speak for the answer), attention or rollout over the picture, the "
            "heat map alone, or the grid of patches. auto: evidence if the model gives it, else attention",
            live=True,
            page=True,
        ),
    ] = "auto"
    opacity: Annotated[float, Rule("How much the overlay covers the picture", low=0, high=1, live=True, page=True)] = (
        0.5
    )


@dataclass(frozen=True, slots=True)
class LogSettings:
    """What the console shows."""

    format: Annotated[
        LogFormat, Rule("Format of the output. auto: rich on a terminal, else JSON lines", page=Why.MACHINE)
    ] = "auto"
    emit: Annotated[
        Emit,
        Rule(
            "Which predictions are printed. auto: all of files at full speed, else changes of what is there",
            live=True,
            page=Why.MACHINE,
        ),
    ] = "auto"


@cache
def _of_parts() -> dict[str, type[Any]]:
    return {name: kind for part in PARTS for name, kind in part.sections.items()}


def _defaults_of_parts() -> dict[type[Any], Any]:
    return {kind: kind() for kind in _of_parts().values()}


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one run. The value never changes: a run that reads its settings again gets another one."""

    camera: CameraSettings = field(default_factory=CameraSettings)
    model: ModelSettings = ModelSettings()
    look: LookSettings = field(default_factory=LookSettings)
    motion: MotionSettings = field(default_factory=MotionSettings)
    events: EventSettings = EventSettings()
    store: StoreSettings = StoreSettings()
    web: WebSettings = field(default_factory=WebSettings)
    overlay: OverlaySettings = OverlaySettings()
    names: NameSettings = field(default_factory=NameSettings)
    log: LogSettings = LogSettings()
    zones: tuple[ZoneSettings, ...] = ()
    rules: Mapping[str, tuple[OrderedRule, ...]] = field(default_factory=lambda: dict.fromkeys(RULES, ()))
    """By their key in the file. `settings.rules_of(EventRule)` reads all."""
    parts: Mapping[type[Any], Any] = field(default_factory=_defaults_of_parts)
    """The sections of parts, by their dataclasses. `settings[HeatSettings]` reads one."""

    def __getitem__(self, kind: type[S]) -> S:
        """The section of a part, by its dataclass."""
        found: S = self.parts[kind]
        return found

    def rules_of(self, kind: type[R]) -> tuple[R, ...]:
        """The rules of a kind, in their order."""
        return tuple(rule for rules in self.rules.values() for rule in rules if isinstance(rule, kind))

    def table(self, key: str) -> Any:
        """All zones or rules, or all that an open section says, by its key."""
        if key in OPEN_SECTIONS:
            return self.section(key)
        return self.rules[key] if key in self.rules else getattr(self, key)

    def section(self, name: str) -> Any:
        """A section by its name. Raises KeyError for one that there is not."""
        kind = sections()[name]
        return self.parts[kind] if kind in self.parts else getattr(self, name)

    def with_section(self, name: str, value: Any) -> Self:
        """The same with another value of a section, or of all zones or rules."""
        if kind := _of_parts().get(name):
            return replace(self, parts={**self.parts, kind: value})
        if name in self.rules:
            return replace(self, rules={**self.rules, name: value})
        return replace(self, **{name: value})


def labels_in(settings: Settings) -> list[tuple[str, str]]:
    """Each label or group that rules and settings name, and who does: `("cat", "the rule lamp is for")`."""
    of_rules = [named for rule in settings.rules_of(OrderedRule) for named in rule.named_labels]
    return of_rules + [(label, f"{name} names") for name, labels in label_lists(settings) for label in labels]


def label_lists(settings: Settings) -> list[tuple[str, tuple[str, ...]]]:
    """Each setting that is a list of labels and groups: its name, and what it names."""
    found = [option for option in options().values() if option.rule.labels]
    return [(option.name, getattr(settings.section(option.section), option.key)) for option in found]


@cache
def harmless_sections() -> frozenset[str]:
    """Sections with which no start and no frame fails."""
    return frozenset({"store"}).union(*(part.harmless for part in PARTS))


@cache
def sections() -> Mapping[str, type[Any]]:
    """Section name -> its dataclass, in the order of the file: first those of the base, then those of each part."""
    own = {name: kind for name, kind in get_type_hints(Settings).items() if name not in ("zones", "rules", "parts")}
    return MappingProxyType(own | _of_parts())


@cache
def options() -> Mapping[str, Option]:
    """`section.key` -> option, in the order of the file."""
    found = [option for name, section_class in sections().items() for option in options_of(name, section_class)]
    return MappingProxyType({option.name: option for option in found})


def option_called(name: str) -> Option:
    """The option of `section.key`, `zones.NAME.key`, `on.NUMBER.key`, or a key of an open section."""
    key, _, rest = name.partition(".")
    if key in OPEN_SECTIONS and name not in options():
        return OPEN_SECTIONS[key]
    return table_options(key)[rest.rpartition(".")[2]] if key in TABLES else options()[name]

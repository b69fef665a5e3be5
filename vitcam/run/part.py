"""The description of a part: plain data, so that help, schema and documentation know it without importing it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vitcam.threads.kinds import ThreadKind

if TYPE_CHECKING:
    from vitcam.config.option import OpenSection
    from vitcam.config.rules import OrderedRule


@dataclass(frozen=True, slots=True)
class Step:
    """What a set-up says of a view: three phrases."""

    title: str
    hint: str
    link: str


RARE = 50
"""The `order` from which on views are rare."""


@dataclass(frozen=True, slots=True)
class View:
    """One that takes the place of the live picture on the page. Its address is `#NAME`, its link says `NAME.link`.

    `NAME.html`, `NAME.css` and `NAME.js` of the part's files are loaded when it is opened for the first time. The
    module's `open()` gives an object with `open(address)`, `close()`, and, as far as it wants to know, `setModel()`,
    `setState(state)`, `event(record)` and `catchUp()`.
    """

    icon: str
    """Of its link: the path of an SVG, drawn as a line in a square of 24."""
    order: int
    """Of its link among those of parts. From `RARE` on, phones show it below "More"."""
    changes: bool = False
    """Whether callers who may only look have no link to it."""
    hears: str = ""
    """A kind of server-sent event, of which its `heard.js` gets each by `hear(record, isFirst)`.

    `isFirst`: whether this window of the browser reads for all others."""
    on_correction: str = ""
    """The phrase that says below each event of the history what comes of a correction; empty: nothing."""
    on_event: str = ""
    """The phrase of a link to `#NAME?label=…&zone=…` that each event of the history has; empty: none."""
    step: Step | None = None
    """Of the set-up of a new camera, the last ones."""


@dataclass(frozen=True, slots=True)
class Part:
    """What vitcam can do beside seeing, in a folder of its own. A text "module:name" is imported when it is used."""

    name: str
    """Its folder in `vitcam/parts/`."""
    sections: Mapping[str, type[Any]] = field(default_factory=dict)
    """Section of the configuration -> its frozen dataclass, as `settings[HeatSettings]` gives it."""
    open_sections: "Mapping[str, OpenSection]" = field(default_factory=dict)
    """Those of them whose keys are free."""
    harmless: tuple[str, ...] = ()
    """Sections with which no start and no frame fails: what the page set of them stays where starts keep failing."""
    rules: "Mapping[str, type[OrderedRule]]" = field(default_factory=dict)
    """Key of the configuration, as in `[[on]]` -> the frozen dataclass of a rule, of which there may be several."""
    removed: Mapping[str, str] = field(default_factory=dict)
    """`section.key` that earlier versions had -> what to do instead, as the end of a sentence."""
    state: Mapping[str, type[Any]] = field(default_factory=dict)
    """Key of `/api/state` -> what stands there. Its defaults do where the run has no object of it."""
    threads: Mapping[str, ThreadKind] = field(default_factory=dict)
    """By the name of the thread."""
    make: str = ""
    """(Run) -> the objects of a run, as a list; an empty one where the settings want none."""
    before_run: str = ""
    """(environment) -> sentences for the log. Called before a run reads anything of its folders."""
    made_again: tuple[str, ...] = ()
    """Regular expressions of paths below the state folder that no backup carries, since the part makes them again."""
    copies: str = ""
    """(state folder) -> a `KeepsCopies` of the history's pictures."""
    routes: str = ""
    """The classes of its routes. They find the part's object with `app.parts.objects.one(…)`."""
    schemas: str = ""
    """() -> the schemas that its routes name, by their names in `/openapi.json`."""
    paths: tuple[str, ...] = ()
    """First parts of the paths of its routes, where that is not `api`."""
    set_on_page: str = ""
    """(setting -> its new value, as the page sent it) -> None. Raises UsageError for what this machine cannot do."""
    page: str = ""
    """Below `/page/`, the name of its files, which lie in its folder `page/`; empty: its own name."""
    view: View | None = None
    """None: it adds none to the page."""
    checks: str = ""
    """For `vitcam doctor`: name -> check; or a function that gives these for a `CheckContext`."""
    verbs: Mapping[str, str] = field(default_factory=dict)
    """Of the command line: verb -> a module, which has a function or a typer of the module's name.

    `token NAME` is one of `vitcam token`, `models NAME` one of `vitcam models`."""
    after: str = ""
    """The verb of the base behind which its own stand in the help; empty: they are the last."""
    tokens: str = ""
    """(state folder) -> what `vitcam token list` adds: a record and a sentence for each token of others."""
    publish: str = ""
    """(Settings, text) -> sends a text without a run, and returns where it went; empty: to nobody."""
    uninstalled: str = ""
    """(Places, Instance) -> takes back what others keep of a service that has ended; returns why that failed."""
    called: str = ""
    """(Settings) -> what a household's system calls the camera; empty: as the machine."""
    extra: str = ""
    """The extra of the package that a service's own environment gets for it."""


def load_each(places: Iterable[str]) -> Iterator[Any]:
    """What the texts "module:name" of parts stand for, in their order; empty ones are left out."""
    for place in filter(None, places):
        module, _, name = place.partition(":")
        yield getattr(import_module(module), name)

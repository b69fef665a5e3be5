"""The description of a part: plain data, so that help, schema and documentation know it without importing it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vitcam.threads.kinds import ThreadKind

if TYPE_CHECKING:
    from vitcam.config.option import OpenSection
    from vitcam.config.rules import EventRule
    from vitcam.config.settings import Settings
    from vitcam.doctor.check import CheckContext, CheckFunction
    from vitcam.run.kinds import KeepsCopies
    from vitcam.run.run import Run
    from vitcam.service.places import Instance, Places
    from vitcam.web.context import Handlers
    from vitcam.web.openapi.schema import Schema


@dataclass(frozen=True, slots=True)
class Step:
    """What a set-up says of a view: three phrases."""

    title: str
    hint: str
    link: str


@dataclass(frozen=True, slots=True)
class View:
    """One that takes the place of the live picture on the page. Its address is `#NAME`, its link says `NAME.link`.

    `NAME.html`, `NAME.css` and `NAME.js` of the part's files are loaded when it is opened for the first time. The
    module's `open()` gives an object with `open(address)`, `close()`, and, as far as it wants to know, `setModel()`,
    `setState(state)`, `event(record)` and `catchUp()`.
    """

    before: str = "settings"
    """The view of the base whose link comes after its own."""
    changes: bool = False
    """Whether callers who may only look have no link to it."""
    needs: str = ""
    """A key of `/api/state`: while that is 0 or empty, nobody has a link to it."""
    hears: str = ""
    """A kind of server-sent event, of which its `heard.js` gets each by `hear(record, isFirst)`.

    `isFirst`: whether this window of the browser reads for all others."""
    on_event: str = ""
    """The phrase of a link to `#NAME?label=…&zone=…` that each event of the history has; empty: none."""
    step: Step | None = None
    """Of the set-up of a new camera, the last ones."""
    photos: bool = False
    """Whether photos that are dropped or pasted are for it: it gets the event `photo`."""


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
    rules: "Mapping[str, type[EventRule]]" = field(default_factory=dict)
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
    offers: bool = False
    """Whether its `offer.js` is loaded with the page. `new Offer(isSimple)` is told each state by `setState(state)`."""
    checks: str = ""
    """For `vitcam doctor`: name -> check; or a function that gives these for a `CheckContext`."""
    verbs: Mapping[str, str] = field(default_factory=dict)
    """Of the command line: verb -> a module, which has a function or a typer of the module's name.

    `token NAME` is one of `vitcam token`."""
    after: str = ""
    """The verb of the base behind which its own stand in the help; empty: they are the last."""
    tokens: str = ""
    """(state folder) -> what `vitcam token list` adds: a record and a sentence for each token of others."""
    publish: str = ""
    """(Settings, text) -> sends a text without a run, and returns where it went; empty: to nobody."""
    uninstalled: str = ""
    """(Places, Instance) -> takes back what others keep of a service that has ended; returns why that failed."""
    extra: str = ""
    """The extra of the package that a service's own environment gets for it."""

    def begun(self, environ: Mapping[str, str]) -> list[str]:
        """What it has done before a run, as sentences. Raises VitcamError where that cannot be done."""
        return list(_imported(self.before_run)(environ)) if self.before_run else []

    def made(self, run: "Run") -> list[object]:
        """Its objects of a run. Raises VitcamError where they cannot be made."""
        return list(_imported(self.make)(run)) if self.make else []

    def copies_in(self, folder: Path) -> "list[KeepsCopies]":
        """What keeps copies of the history's pictures below a state folder."""
        return [_imported(self.copies)(folder)] if self.copies else []

    def handlers(self) -> "tuple[type[Handlers], ...]":
        """The classes of its routes."""
        return tuple(_imported(self.routes)) if self.routes else ()

    def described(self) -> "Mapping[str, Schema]":
        """The schemas of its routes, by their names."""
        return dict(_imported(self.schemas)()) if self.schemas else {}

    def check_set_on_page(self, values: Mapping[str, object]) -> None:
        """Raises UsageError for new settings of the page that this machine cannot do."""
        if self.set_on_page:
            _imported(self.set_on_page)(values)

    def doctors(self, context: "CheckContext") -> "Mapping[str, CheckFunction]":
        """Its checks, by their names."""
        found = _imported(self.checks) if self.checks else {}
        return dict(found(context) if callable(found) else found)

    def tokens_in(self, folder: Path) -> list[tuple[dict[str, str], str]]:
        """Tokens of others that a state folder keeps: each as a record, and as a sentence."""
        return list(_imported(self.tokens)(folder)) if self.tokens else []

    def published(self, settings: "Settings", text: str) -> str:
        """Send a text; returns where it went, as a sentence, empty: nowhere. Raises VitcamError where that failed."""
        return str(_imported(self.publish)(settings, text)) if self.publish else ""

    def cleared(self, places: "Places", instance: "Instance") -> str:
        """Take back what others keep of a service that has ended; returns why that failed, empty if it did not."""
        return str(_imported(self.uninstalled)(places, instance)) if self.uninstalled else ""


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)

"""Options that several verbs take, and groups of them that a command takes as one parameter."""

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vitcam.config.settings import Settings
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import means_service, services_state, state_folder
from vitcam.model.files import list_models
from vitcam.storage.files import given_file

if TYPE_CHECKING:
    from vitcam.config.layers import PageLayer
    from vitcam.config.load import EffectiveSettings
    from vitcam.config.names import NameSettings
    from vitcam.model.classifier import Classifier
    from vitcam.storage.owner import OwnedFolder


log = logging.getLogger(__name__)


def model_names(incomplete: str) -> list[str]:
    """The models that begin like what was typed, for a shell that completes it."""
    return [name for name in list_models() if name.startswith(incomplete)]


def option_of(key: str, *names: str, says: str, group: str, **more: Any) -> Any:
    """An option that sets `section.key`: its help says what is in force where nothing is said."""
    section, name = key.split(".")
    default = getattr(getattr(_DEFAULTS, section), name)
    shown = f"{default:g}" if isinstance(default, float) else str(default)
    in_force = f" Default: {shown}." if shown else ""
    return typer.Option(*names, help=f"{says}{in_force}", rich_help_panel=group, **more)


_DEFAULTS = Settings()
MODEL = "Model"
_SETTINGS = "Settings"

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
ServiceOption = Annotated[
    bool,
    typer.Option(
        "--service", help="Do it for the service, not for your own runs. Default for root where it is installed."
    ),
]
ModelOption = Annotated[
    str | None,
    option_of(
        "model.name",
        *("--model", "-m"),
        says="Use this model: a name, or a .tflite file.",
        group=MODEL,
        autocompletion=model_names,
    ),
]
LabelsOption = Annotated[
    Path | None,
    option_of("model.labels", "--labels", says="Read the labels from this text file, one a line.", group=MODEL),
]
ThreadsOption = Annotated[
    int | None,
    option_of("model.threads", "--threads", says="Run on this many threads; 0 chooses by the cores.", group=MODEL),
]
TopKOption = Annotated[int | None, option_of("model.top_k", "--top-k", says="Show this many guesses.", group=MODEL)]


@dataclass(frozen=True, slots=True)
class ConfigOptions:
    """A group: where settings come from, besides the usual files and the environment."""

    config: Annotated[
        Path | None,
        typer.Option("--config", help="Read this configuration file (TOML), too.", rich_help_panel=_SETTINGS),
    ] = None
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.KEY=VALUE",
            help="Set one value of the configuration. May be repeated.",
            rich_help_panel=_SETTINGS,
        ),
    ] = None

    def load(self, flags: Mapping[str, object]) -> "EffectiveSettings":
        """The settings in force; their warnings go to the log.

        flags   `section.key` -> what an option of its own says; None: nothing
        raises  ConfigError
        """
        from vitcam.config.load import load

        return load(self.config, self.sets or [], flags, os.environ, page_layer())

    def merge(
        self, page: "PageLayer | None" = None, flags: Mapping[str, object] = MappingProxyType({})
    ) -> "EffectiveSettings":
        """As `load`; but the warnings are only in the result.

        page  what was set on the page; None: as it is kept in the state folder
        """
        from vitcam.config.load import merge_layers

        return merge_layers(self.config, self.sets or [], flags, os.environ, page=page or page_layer())


@dataclass(frozen=True, slots=True)
class ClassifierOptions:
    """A group: which model answers about photos, and how."""

    model: ModelOption = None
    labels: LabelsOption = None
    top_k: TopKOption = None
    threads: ThreadsOption = None

    def settings(self) -> Settings:
        """With what files and the environment say of the others. Raises ConfigError."""
        flags = {
            "model.name": self.model,
            "model.labels": None if self.labels is None else str(self.labels),
            "model.top_k": self.top_k,
            "model.threads": self.threads,
        }
        return ConfigOptions().load(flags).settings


def page_layer() -> "PageLayer":
    """What was set on the page of this user's runs."""
    from vitcam.daemon.saved_state.page_settings import PageSettings

    return PageSettings(state_folder(os.environ)).layer


def call_by_names(classifier: "Classifier", names: "NameSettings") -> None:
    """Call labels and groups as this user's runs do; the log says what of it this model does not have."""
    from vitcam.daemon.part_options import trouble_with_names
    from vitcam.daemon.saved_state.page_settings import PageSettings, initial_names

    active = initial_names(names, PageSettings(state_folder(os.environ)))
    classifier.call_by(active)
    if trouble := trouble_with_names(active, classifier):
        log.warning("%s", trouble)


@dataclass(frozen=True, slots=True)
class StateOptions:
    """A group: of which daemon the state folder is. Neither: of this user's own runs, for root of the service."""

    service: ServiceOption = False
    instance: Annotated[
        str,
        typer.Option("--instance", metavar="NAME", help="Do it for this instance of the service.", show_default=False),
    ] = ""

    def owned_folder(self) -> "OwnedFolder":
        """The state folder, to be worked in as its owner. Raises UsageError if it is not there."""
        from vitcam.storage.owner import owned

        return owned(self._folder())

    @property
    def is_of_service(self) -> bool:
        """Whether it is the service's, and not that of this user's own runs."""
        usual = services_state(self.instance)
        return self.service or bool(self.instance) or means_service(os.environ, usual.is_dir())

    def _folder(self) -> Path:
        usual = services_state(self.instance)
        if self.is_of_service:
            if not usual.is_dir():
                option = f" --instance {self.instance}" if self.instance else ""
                raise UsageError(
                    f"there is no {usual}; install the service first: `sudo vitcam service install{option}`"
                )
            return usual
        folder = state_folder(os.environ)
        if folder is None:
            raise UsageError(
                "there is no folder to keep it in; set XDG_STATE_HOME or HOME to a folder that can be written"
            )
        return folder


def write_output(path: Path, data: bytes) -> None:
    """Write what was asked for. Raises VitcamError if it cannot be written."""
    try:
        with given_file(path) as out:
            out.write_bytes(data)
    except OSError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}; name another file, or make room") from error


def write_state(place: "OwnedFolder", file: Callable[[Path], Path], write: Callable[[Path], None]) -> Path:
    """Change a file of a state folder.

    file     gives its path in the folder
    write    changes it, given the folder
    returns  the path
    raises   VitcamError if the file cannot be written; what `write` raises
    """
    path = file(place.folder)
    try:
        with place.acting() as folder:
            write(folder)
    except PermissionError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}; for the service, use sudo") from error
    except OSError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}") from error
    return path

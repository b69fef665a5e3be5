"""The settings that the page shows and changes: tried in the running daemon, then kept for the next start."""

import logging
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from vitcam.config.check import checked
from vitcam.config.compare import Changes
from vitcam.config.layers import PageLayer, RawSetting
from vitcam.config.load import EffectiveSettings
from vitcam.config.old_motion import NEW, OLD
from vitcam.config.on_page import ON_PAGE, page_option, why_not
from vitcam.config.removed import removal_of
from vitcam.config.settings import Settings, harmless_sections, label_lists, options
from vitcam.config.tables import TABLES
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.daemon.saved_state.trials import Trials
from vitcam.errors import FixedElsewhere, SourceError, UsageError, VitcamError
from vitcam.model.labels import unknown_labels
from vitcam.names.vocabulary import Vocabulary
from vitcam.parts import PARTS
from vitcam.redaction import redacted
from vitcam.run.part import load_each
from vitcam.sources import open_source
from vitcam.text import shortened

log = logging.getLogger(__name__)

Layers = Callable[[PageLayer], EffectiveSettings]
_TAKEN_WITHIN_S = 5.0
_WAIT_S = 3.0
_OWN_PLACES = ("camera.crop", "camera.masks", "model.name", "names.language", *TABLES)
_KINDS = {bool: "switch", int: "whole number", float: "number", str: "text", tuple: "texts"}


@dataclass(frozen=True, slots=True)
class NewSettings:
    """Settings that the supervisor is to take over."""

    wanted: Settings
    done: "Future[Changes]" = field(default_factory=Future)


class RunningSettings:
    """The settings that the page shows and may change. Any thread may call it; every method may block.

    running   the settings in force; a reload replaces them
    layers    merges all layers with what it is given as the page's; None: the page can set nothing
    service   whether something starts the daemon again when it ends for that
    """

    def __init__(
        self,
        running: Settings,
        layers: Layers | None,
        *,
        page: PageSettings,
        trials: Trials,
        vocabulary: Vocabulary,
        service: bool,
    ) -> None:
        self.fixed_at: Mapping[str, str] = {}
        """Where the configuration sets what has routes of its own: crop, masks and zones."""
        self.can_be_set: frozenset[str] = frozenset()
        """Settings that nothing fixes, so that they may be changed while the daemon runs."""
        self.restart_asked = threading.Event()
        self._layers = layers
        self._page = page
        self._trials = trials
        self._vocabulary = vocabulary
        self._service = service
        self._new: queue.SimpleQueue[NewSettings] = queue.SimpleQueue()
        self._changing = threading.Lock()
        self._unsaved: PageLayer | None = None
        self.set_running(running)

    @property
    def layer(self) -> PageLayer:
        """What was set on the page, also where the disk did not take it so far."""
        return self._unsaved or self._page.layer

    def with_unsaved(self, wanted: Settings) -> Settings:
        """Settings that were read again, with what was set on the page and could not be saved so far."""
        return wanted if self._unsaved is None or self._layers is None else self._layers(self._unsaved).settings

    def set_running(self, running: Settings) -> None:
        """These are the settings in force from now on."""
        self.running = running
        in_force = {"camera.crop": running.camera.crop, "camera.masks": running.camera.masks, "zones": running.zones}
        try:
            effective = None if self._layers is None else self._layers(self.layer)
        except VitcamError:  # the configuration was changed, and nobody has read it again so far
            effective = None
        self.can_be_set = frozenset(name for name in ON_PAGE if effective and not effective.given(name))
        self.fixed_at = {
            name: (effective.given(name) if effective else "") or "the configuration"
            for name, value in in_force.items()
            if value
        }

    def read(self) -> None:
        """Have the supervisor take over what is kept now."""
        if self._layers is not None:
            self._new.put(NewSettings(self._layers(self.layer).settings))

    def new(self) -> Iterator[NewSettings]:
        """What was set since the last call. For the supervisor."""
        while True:
            try:
                yield self._new.get_nowait()
            except queue.Empty:
                return

    def record(self) -> dict[str, Any]:
        """For `/api/settings`."""
        effective, trouble = self._effective()
        rows = [self._row(name, effective) for name in options() if name in ON_PAGE]
        return {
            "settings": rows,
            "fixed": {name: place for name in _OWN_PLACES if (place := effective.given(name))},
            "restart": {"needed": [row["name"] for row in rows if row["waits"]], "possible": self._service},
            "trouble": trouble,
        }

    def values(self) -> dict[str, Any]:
        """The same settings by name, each with its value and where that comes from; secret values are included."""
        effective, _ = self._effective()
        return {name: [_value(effective.settings, name), _origin(name, effective)] for name in sorted(ON_PAGE)}

    def change(self, values: Mapping[str, object]) -> str:
        """Take over new values of some settings; None: the default.

        They are kept once a frame was classified with them. If none comes in time, they are kept all the same, and
        taken back if a stage fails with them later.

        returns  why they are not kept for the next start, "" if they are
        raises   UsageError for what is not allowed or does not work: the values before are in force again then;
                 FixedElsewhere; VitcamError if the supervisor does not answer
        """
        layers = self._layers_or_refuse()
        with self._changing:
            before = self.layer
            layer = _changed(layers(before), before, values)
            effective = layers(layer)
            for name, value in values.items():
                if value is not None and name not in effective.page:
                    raise UsageError(effective.warnings[-1])
            self._check(values, effective.settings)
            changes = self._send(effective.settings)
            if any(name.partition(".")[0] not in harmless_sections() for name in changes.live):
                self._wait_for_trial(before)
            log.info("set on the page: %s", ", ".join(sorted(values)))
            return self._save(layer)

    def restart(self) -> None:
        """End, so that systemd starts the daemon again."""
        if not self._service:
            raise FixedElsewhere(
                "vitcam does not run as a service and cannot restart itself; stop it and start it again"
            )
        self.restart_asked.set()

    def _effective(self) -> tuple[EffectiveSettings, str]:
        """All layers merged, and why they cannot be now; empty if they are."""
        layers = self._layers_or_refuse()
        try:
            return layers(self.layer), ""
        except VitcamError as error:  # the configuration was changed, and nobody has read it again so far
            return EffectiveSettings.of(self.running), str(error)

    def _layers_or_refuse(self) -> Layers:
        if self._layers is None:
            raise UsageError("this run does not allow settings to be changed on the page")
        return self._layers

    def _row(self, name: str, effective: EffectiveSettings) -> dict[str, Any]:
        option = page_option(name) or options()[name]
        value = _value(effective.settings, name)
        place = effective.given(name)
        return {
            "name": name,
            "value": _shown(name, value),
            "default": _shown(name, option.default),
            "kind": _KINDS[option.kind],
            "choices": list(option.choices),
            "low": option.rule.low,
            "high": option.rule.high,
            "allowed": option.allowed,
            "doc": option.rule.doc,
            "live": option.rule.live,
            "from": _origin(name, effective),
            "place": place,
            "waits": value != _value(self.running, name),
            "unread": name in effective.unread,
        }

    def _check(self, values: Mapping[str, object], wanted: Settings) -> None:
        """What only this machine and this model can say. Raises UsageError."""
        if (source := values.get("camera.source")) and isinstance(source, str):
            if "***" in source:
                raise UsageError("the address of the camera has *** in place of its password; enter all of it")
            with suppress(SourceError):  # it may be plugged in later
                open_source(source)
        for check in load_each(part.set_on_page for part in PARTS):
            check(values)
        lists = [(name, labels) for name, labels in label_lists(wanted) if name in values]
        asked_for = [(label, f"{name} names") for name, labels in lists for label in labels]
        for sentence in unknown_labels(asked_for, self._vocabulary.known):
            raise UsageError(sentence)

    def _send(self, wanted: Settings) -> Changes:
        """Have the supervisor take them over. Raises UsageError where they do not fit."""
        new = NewSettings(wanted)
        self._new.put(new)
        try:
            return new.done.result(_TAKEN_WITHIN_S)
        except TimeoutError:
            new.done.cancel()
            raise VitcamError("vitcam could not apply the settings in time; try again") from None

    def _wait_for_trial(self, before: PageLayer) -> None:
        """Wait until a frame was classified; where a stage fails, the settings before are in force again."""
        tried = self._trials.begin("settings on trial", lambda: "")
        try:
            tried.result(_WAIT_S)
        except TimeoutError:
            tried.add_done_callback(lambda done: self._roll_back(before) if done.exception() else None)
        except UsageError:
            self._send(self._layers_or_refuse()(before).settings)
            raise

    def _roll_back(self, before: PageLayer) -> None:
        """In the thread that noticed, which must not wait."""
        log.error("the last change on the page was undone, because a stage failed with it")
        new = NewSettings(self._layers_or_refuse()(before).settings)
        new.done.add_done_callback(lambda _: self._save(before))
        self._new.put(new)

    def _save(self, layer: PageLayer) -> str:
        return self._trials.unsaved.keep("settings", partial(self._write, layer))

    def _write(self, layer: PageLayer) -> str:
        reason = self._page.save_settings(layer)
        self._unsaved = layer if reason else None
        return reason


def _changed(effective: EffectiveSettings, before: PageLayer, values: Mapping[str, object]) -> PageLayer:
    """The layer with new values. Raises UsageError, FixedElsewhere."""
    after = dict(before.values)
    for name, value in values.items():
        option = page_option(name)
        if option is None:
            moved = f"{NEW} has taken its place" if name in OLD else ""
            why = why_not(name) or removal_of(name) or moved or "no setting has that name"
            raise UsageError(f"{shortened(name)!r} cannot be set on the page: {why}")
        if place := effective.given(name):
            raise FixedElsewhere(f"{name} is set by {place}; change it there")
        for gone in (name, *(OLD if name == NEW else ())):
            after.pop(gone, None)
        if value is not None:
            raw = RawSetting(option.section, option.key, value, "what was sent", error_class=UsageError)
            fit = checked(option, raw)
            after[name] = list(fit) if isinstance(fit, tuple) else fit
    is_age_set = "store.keep_days" in values
    return replace(before, values=after, unread="" if is_age_set else before.unread)


def _origin(name: str, effective: EffectiveSettings) -> str:
    return "configuration" if effective.given(name) else "page" if name in effective.page else "default"


def _value(settings: Settings, name: str) -> Any:
    section, _, key = name.partition(".")
    return getattr(settings.section(section), key)


def _shown(name: str, value: Any) -> Any:
    if name == "camera.source":
        return redacted(value)
    return list(value) if isinstance(value, tuple) else value

"""`motion.enabled` and `motion.rest_fps` of earlier versions: they are read as `look.rest`, which replaces them."""

from dataclasses import replace
from typing import Any

from vitcam.config.check import checked
from vitcam.config.layers import RawSetting
from vitcam.config.option import Option, Rule, Why

NEW = "look.rest"
_RULE = Rule("What they were allowed to be", page=Why.ELSEWHERE)
_OPTIONS = {
    option.name: option
    for option in (
        Option("motion", "enabled", bool, False, (), _RULE),
        Option("motion", "rest_fps", float, 1.0, (), replace(_RULE, low=0.01, high=60)),
    )
}
OLD = frozenset(_OPTIONS)
"""`section.key` of each."""


class OldMotion:
    """Takes them in the order of their places."""

    def __init__(self) -> None:
        self._given: dict[str, Any] = {}
        self._origin = ""
        self._new = ""
        """The last place that says `look.rest` itself."""

    def meaning(self, raw: RawSetting) -> RawSetting | None:
        """Another setting as it is; what one of them says now, with those before. Raises its `error_class`.

        None: it says nothing, since the same place says `look.rest` itself
        """
        name = f"{raw.section}.{raw.key}"
        self._new = raw.origin if name == NEW else self._new
        option = _OPTIONS.get(name)
        if option is None:
            return raw
        self._given[option.name] = checked(option, raw)
        self._origin = raw.origin
        if self._new == raw.origin:
            return None
        section, _, key = NEW.partition(".")
        return replace(raw, section=section, key=key, value=self._rest_s, is_text=False)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is said of them, one sentence at most."""
        if not self._origin:
            return ()
        count = "is read as it" if len(self._given) == 1 else "are read as it"
        return (
            f"{self._origin}: {NEW} has taken the place of {' and '.join(self._given)}, which {count}; write "
            f"{NEW} = {self._rest_s:g} instead",
        )

    @property
    def _rest_s(self) -> float:
        enabled, rest_fps = (self._given.get(name, option.default) for name, option in _OPTIONS.items())
        return round(1 / rest_fps, 3) if enabled else 0.0

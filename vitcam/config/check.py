"""Whether a value that was given is one that a setting may have."""

import tomllib
from contextlib import suppress

from vitcam.config.layers import RawSetting
from vitcam.config.option import Option, without_secrets
from vitcam.sentence import Sentence

Checked = bool | int | float | str | tuple[str, ...]
_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})


def checked(option: Option, raw: RawSetting) -> Checked:
    """The value as the setting's own type; raises its `error_class` when it has another type or is out of range."""
    value = raw.value
    if raw.is_text and option.kind is not str:
        value = _parsed(option, str(value))
    if not _fits(option, value):
        raise raw.error_class(_refusal(option, raw))
    # a float may be written as a whole number, and TOML has lists
    converted: Checked = option.kind(value)
    return converted


def _refusal(option: Option, raw: RawSetting) -> Sentence:
    text = f"{raw.origin}: {option.name} is {_as_written(option, raw.value)}; allowed is {option.allowed}"
    low, high = option.rule.low, option.rule.high
    if low is None or high is None:
        return Sentence(text, "settings.not_allowed")
    return Sentence(text, "settings.range", low=low, high=high)


def _parsed(option: Option, text: str) -> object:
    """The environment and `--set` know only text; None when it does not say a value of this kind."""
    if option.kind is tuple:
        if text.lstrip().startswith("["):  # as in a file
            with suppress(tomllib.TOMLDecodeError, RecursionError):
                found: object = tomllib.loads(f"value = {text}")["value"]
                return found
        return [part.strip() for part in text.split(option.rule.separator) if part.strip()]
    if option.kind is bool:
        return text.lower() in _YES if text.lower() in _YES | _NO else None
    try:
        converted: object = option.kind(text)
        return converted
    except ValueError:
        return None


def _fits(option: Option, value: object) -> bool:
    if option.choices:
        return type(value) is option.kind and value in option.choices  # True is 1, but no choice
    if option.kind is tuple:
        return isinstance(value, list) and all(
            isinstance(part, str) and part and _plain(option, part) for part in value
        )
    if option.kind is str:
        return isinstance(value, str) and _plain(option, value)
    if option.kind is bool or isinstance(value, bool):
        return option.kind is bool and isinstance(value, bool)
    if not isinstance(value, int if option.kind is int else (int, float)):
        return False
    low, high = option.rule.low, option.rule.high
    return (low is None or value >= low) and (high is None or value <= high)


def _plain(option: Option, text: str) -> bool:
    rule = option.rule
    if not text.strip():
        return not rule.filled and "\0" not in text
    return "\0" not in text and (rule.form is None or rule.form(text))


def _as_written(option: Option, value: object) -> str:
    """As it would be written in the file, without secrets; a long value is shortened."""
    text = str(value).lower() if isinstance(value, bool) else repr(without_secrets(option, value))
    return text if len(text) <= 60 else text[:57] + "…"

"""Names as JSON: what `/api/names` gives and takes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vitcam.errors import UsageError
from vitcam.names.active import ActiveNames
from vitcam.names.languages import LANGUAGES, ORIGINAL
from vitcam.names.naming import Called, trouble_with
from vitcam.names.wanted import WantedNames, checked_language, names_in, own_names

FORM = 'send {"language": "de", "names": {"tabby cat": "Mia", "consommé": ""}}'


def names_record(active: ActiveNames, labels: Sequence[str], members: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """The names in force, every label and group of the model with its name, and what the configuration fixes."""
    in_force = active.in_force
    wanted, fixed = in_force.wanted, in_force.fixed
    naming = active.naming(labels, members)
    return {
        "language": wanted.language or ORIGINAL,
        "languages": [{"code": code, "name": name} for code, name in LANGUAGES.items()],
        "names": names_in(wanted.own),
        "labels": _called(naming.of_labels),
        "groups": _called(naming.of_groups),
        "fixed": {
            "language": fixed.language_place or None,
            "names": {each.label: each.place for each in fixed.own},
        },
        "warning": trouble_with(wanted, labels, [*members]),
    }


def _called(all_called: Iterable[Called]) -> list[dict[str, str | None]]:
    return [{"label": each.own, "translation": each.translation, "name": each.name} for each in all_called]


def read_names(body: Any) -> WantedNames:
    """What was set on the page. Raises UsageError with one sentence."""
    if not isinstance(body, dict) or not body or not body.keys() <= {"language", "names"}:
        raise UsageError(f"language and names are allowed, and nothing else; {FORM}")
    names = body.get("names", {})
    if not isinstance(names, dict):
        raise UsageError(f"the names must be an object; {FORM}")
    return WantedNames(checked_language(body.get("language")), own_names(names))

"""The path at which a proxy may show vitcam: none that vitcam answers at itself."""

import re

from vitcam.config.validators import LONGEST_PATH, PATH_PART
from vitcam.parts import PARTS

OWN_PATHS: tuple[str, ...] = (
    "api",
    "page",
    "login",
    "logout",
    "stream",
    "snapshot",
    "snapshot.jpg",
    "openapi.json",
    "healthz",
    "readyz",
    *(path for part in PARTS for path in part.paths),
    "favicon.ico",
)
"""First parts of the paths that vitcam answers at. Below one of them, two paths could be meant."""
_BASE_PATH = re.compile(rf"(?!/(?:{'|'.join(map(re.escape, OWN_PATHS))})(?:/|$))(?:{PATH_PART})*/?")


def is_base_path(text: str) -> bool:
    """Whether a text is a path such as /cameras/vitcam, without anything that browsers or cookies read as more."""
    return len(text) <= LONGEST_PATH and _BASE_PATH.fullmatch(text) is not None

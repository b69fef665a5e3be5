"""Which settings the page may set, and why it may not set the others, as the rule of each setting says."""

import re
from dataclasses import replace

from vitcam.config.open_sections import OPEN_SECTIONS
from vitcam.config.option import Option, Why
from vitcam.config.settings import options
from vitcam.config.tables import TABLES, table_options

ON_PAGE = frozenset(name for name, option in options().items() if option.rule.page is True)
"""Names of the settings that `PATCH /api/settings` changes."""
PROTECTING = ("store.keep_days", "store.max_mb")
"""What events are kept by. Where one was set and cannot be read, none is deleted because of its age."""


_MOST_TEXT = 2000
_CAMERA = re.compile(
    r"picamera(:\d{1,3})?|(v4l2:)?/dev/(video\d{1,3}|v4l/by-(id|path)/[\w:+-][\w:.+-]*)|demo|(?i:rtsps?|https?)://[^\s\0]+",
    re.ASCII,
)
_CAMERA_WORDS = "picamera, v4l2:/dev/video0, an address that begins with rtsp:// or http://, or demo"


def is_page_camera(text: str) -> bool:
    """Whether a text names a camera or the demo, and no other file of this machine."""
    return len(text) <= _MOST_TEXT and text.isprintable() and _CAMERA.fullmatch(text) is not None


def page_option(name: str) -> Option | None:
    """A setting with what the page may set it to; None where it may not."""
    if name not in ON_PAGE:
        return None
    option = options()[name]
    if name == "camera.source":
        return replace(option, rule=replace(option.rule, form=is_page_camera, form_words=_CAMERA_WORDS))
    return option


def why_not(name: str) -> Why | None:
    """Why the page may not set a setting, a key of a table or a name of one's own; None: it may, or nobody knows it."""
    section, _, key = name.partition(".")
    option = options().get(name) or OPEN_SECTIONS.get(section)
    if option is None and section in TABLES:
        option = table_options(section).get(key.rpartition(".")[2])
    return None if option is None or option.rule.page is True else option.rule.page

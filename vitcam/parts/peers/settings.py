"""Settings of peers: every key is the name of another camera."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from vitcam.config.option import OpenSection, Option, Rule, Why
from vitcam.config.validators import LONGEST_PATH, PATH_PART, is_host_name, is_network, is_web_address
from vitcam.parts.peers.peer import MOST_PEERS, NAME_WORDS, PEER_NAME, Peer


@dataclass(frozen=True, slots=True)
class PeerSettings:
    """Other cameras with vitcam, whose pictures the page shows beside this one's."""

    own: tuple[Peer, ...] = ()
    """Every key of the section: a name, and the address of its page."""


def is_peer_address(text: str) -> bool:
    """Whether a text is an address of a page of vitcam: a site, and perhaps a path behind a proxy."""
    if not is_web_address(text) or len(text) > LONGEST_PATH or any(each in text for each in "?#\\"):
        return False
    parts = urlsplit(text)
    host = parts.hostname or ""
    return (is_host_name(host) or is_network(host)) and re.fullmatch(rf"(?:{PATH_PART})*/?", parts.path) is not None


PEER = Option(
    "peers",
    "NAME",
    str,
    None,
    (),
    Rule(
        "Address of another camera's page, as browsers open it, too. In files and with --set only. Its token is kept "
        "by `vitcam token peer NAME`",
        filled=True,
        form=is_peer_address,
        form_words="an address such as https://192.168.1.21:8420, without a password, ? or #",
        example="https://192.168.1.21:8420",
        live=True,
        page=Why.FETCH,
    ),
)
"""What every key of `[peers]` says."""
OPEN = OpenSection(PEER, Peer, "camera", PEER_NAME, NAME_WORDS, example="garden", most=MOST_PEERS)

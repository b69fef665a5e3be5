"""Settings of peers: every key is the name of another camera."""

from dataclasses import dataclass

from vitcam.config.option import Option, Rule, Why
from vitcam.config.validators import PEER_ADDRESS_WORDS, is_peer_address
from vitcam.parts.peers.peer import Peer


@dataclass(frozen=True, slots=True)
class PeerSettings:
    """Other cameras with vitcam, whose pictures the page shows beside this one's."""

    own: tuple[Peer, ...] = ()
    """Every key of the section: a name, and the address of its page."""


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
        form_words=PEER_ADDRESS_WORDS,
        example="https://192.168.1.21:8420",
        live=True,
        page=Why.FETCH,
    ),
)
"""What every key of `[peers]` says."""

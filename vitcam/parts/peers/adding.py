"""A camera is added on the page: it is asked at once, and kept only once it has answered."""

import asyncio
import platform
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from vitcam.certificates import read_fingerprint
from vitcam.errors import UsageError, VitcamError
from vitcam.parts.peers.access import PeerAccess, keep_peer_access
from vitcam.parts.peers.checks import fingerprint_of
from vitcam.parts.peers.client import NotLetIn, PeerClient, PeerTrouble, UnknownCertificate, open_session
from vitcam.parts.peers.peer import MOST_PEERS, NAME_WORDS, PEER_NAME, Peer
from vitcam.parts.peers.settings import is_peer_address
from vitcam.sentence import Sentence
from vitcam.text import shortened

_PORT = 8420
"""Where vitcam listens unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class WantedPeer:
    """What a person types."""

    address: str
    """As browsers take it. Without a scheme, http and then https are tried."""
    name: str = ""
    """Empty: what its address says, else a number."""
    token: str = ""
    password: str = ""
    """A token is asked for with it. It is kept nowhere."""
    fingerprint: str = ""
    """SHA-256 of the certificate that is trusted."""


class CertificateToTrust(UsageError):
    """Its certificate is signed by nobody whom this machine knows."""

    def __init__(self, address: str, fingerprint: str) -> None:
        super().__init__(f"{address} shows a certificate of its own; compare its fingerprint with that of the camera")
        self.fingerprint = fingerprint


def add_peer(folder: Path, wanted: WantedPeer, taken: Collection[str]) -> Peer:
    """Ask the camera, and keep it with a token of its own. Blocks for some seconds at most.

    taken   names of the cameras that there are
    raises  UsageError, as a sentence for who typed it: for a name, an address, and why the camera cannot be added;
            CertificateToTrust; VitcamError where it cannot be kept
    """
    if len(taken) >= MOST_PEERS:
        many = f"there are {MOST_PEERS} other cameras, and no more are allowed; remove one first"
        raise UsageError(Sentence(many, "peers.many", most=MOST_PEERS))
    if wanted.name and not PEER_NAME.fullmatch(wanted.name):
        bad = f"{shortened(wanted.name)!r} cannot be the name of a camera; use {NAME_WORDS}"
        raise UsageError(Sentence(bad, "peers.bad_name", name=shortened(wanted.name)))
    if wanted.name in taken:
        raise UsageError(taken_name(wanted.name))
    addresses = addresses_of(wanted.address)
    peer, access = asyncio.run(_first_answer(addresses, wanted.name or _free_name(addresses[0], taken), wanted))
    try:
        keep_peer_access(folder, peer.name, access.token, access.fingerprint, peer.address)
    except OSError as error:
        raise VitcamError(f"the camera answers, but it cannot be kept: {error.strerror}") from error
    return peer


def taken_name(name: str) -> Sentence:
    """That another camera is called so."""
    return Sentence(f"there is a camera {name!r} already; use another name", "peers.taken", name=name)


def addresses_of(typed: str) -> list[str]:
    """The addresses that a person may mean. Raises UsageError where it can be none."""
    typed = typed.strip()
    if "://" in typed:
        found = [typed]
    else:
        host, slash, path = typed.partition("/")
        whole = host if re.search(r":\d+$", host) else f"{host}:{_PORT}"
        found = [f"{scheme}://{whole}{slash}{path}" for scheme in ("http", "https")]
    if not all(map(is_peer_address, found)):
        bad = f"{shortened(typed)!r} is no address; type one such as 192.168.1.21 or https://garden:8420"
        raise UsageError(Sentence(bad, "peers.bad_address", address=shortened(typed)))
    return found


async def _first_answer(addresses: list[str], name: str, wanted: WantedPeer) -> tuple[Peer, PeerAccess]:
    """Raises UsageError with the sentence that helps most."""
    first: str = ""
    for address in addresses:
        peer = Peer(name, address)
        try:
            return peer, await _answer_of(peer, wanted)
        except UnknownCertificate:
            raise CertificateToTrust(address, await asyncio.to_thread(fingerprint_of, peer)) from None
        except NotLetIn as trouble:
            raise UsageError(_at(address, trouble)) from None
        except PeerTrouble as trouble:
            first = first or _at(address, trouble)
    raise UsageError(first)


def _at(address: str, trouble: PeerTrouble) -> str:
    """The trouble with the address that was tried; a person has just typed it, so the page's words go without."""
    text, said = f"{address}: {trouble}", trouble.sentence
    return Sentence(text, said.key, **said.values) if isinstance(said, Sentence) else text


async def _answer_of(peer: Peer, wanted: WantedPeer) -> PeerAccess:
    """What it asks for, once it has answered with it. Raises PeerTrouble."""
    fingerprint = read_fingerprint(wanted.fingerprint)
    access = PeerAccess(wanted.token, fingerprint)
    async with open_session() as session:
        if wanted.password:
            called = re.sub(r"[^\w. -]", "", platform.node())[:40] or "camera"
            made = await PeerClient(session, peer, access).token_for(
                wanted.password, f"{called} {secrets.token_hex(2)}"
            )
            access = PeerAccess(made, fingerprint)
        try:
            await PeerClient(session, peer, access).state()
        except NotLetIn:
            if access.token:
                raise NotLetIn(Sentence("it does not accept this token", "peers.token")) from None
            raise NotLetIn(Sentence("it asks for a password; type its password", "peers.wants_password")) from None
    return access


def _free_name(address: str, taken: Collection[str]) -> str:
    """The first part of the host's name; of a number, "camera-1" and so on."""
    host = urlsplit(address).hostname or ""
    stem = host.partition(".")[0]
    stem = stem if re.fullmatch(r"(?=.*[^\W\d])[\w-]{1,24}", stem) and ":" not in host else ""
    numbered = (f"{stem or 'camera'}-{number}" for number in range(1 if not stem else 2, MOST_PEERS + 3))
    return next(name for name in ((stem,) if stem else ()) + tuple(numbered) if name not in taken)

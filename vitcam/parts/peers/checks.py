"""Other cameras: each is asked once, all at the same time, as the wall asks them."""

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache, partial
from urllib.parse import urlsplit

from vitcam.certificates import fingerprint_shown
from vitcam.doctor.check import CheckContext, CheckFunction, CheckResult
from vitcam.errors import ConfigError
from vitcam.folders import state_folder
from vitcam.parts.peers.access import NO_ACCESS, PeerAccess, all_peers, load_peer_access
from vitcam.parts.peers.peer import Peer
from vitcam.parts.peers.settings import PeerSettings
from vitcam.storage.owner import owned

_WITHIN_S = 3.0


def checks(context: CheckContext) -> dict[str, CheckFunction]:
    """A check for each camera of [peers] or of the page; the first that is made asks all of them."""
    own = context.settings[PeerSettings].own
    try:
        access = _kept(context)
        peers, answers = all_peers(own, access), cache(partial(_ask, all_peers(own, access), access))
    except ConfigError as error:
        found, _, fix = str(error).rpartition("; ")
        failed = {peer.name: CheckResult("fail", found, fix) for peer in own}
        peers, answers = own, cache(lambda: failed)
    return {f"peer {peer.name}": partial(_check, peer, answers) for peer in peers}


def _check(peer: Peer, answers: Callable[[], Mapping[str, CheckResult]], _: CheckContext) -> CheckResult:
    return answers()[peer.name]


def _kept(context: CheckContext) -> Mapping[str, PeerAccess]:
    """What is kept for them. Raises ConfigError where it cannot be read."""
    folder = state_folder(context.machine.environ)
    with owned(folder).acting() if folder and folder.is_dir() else nullcontext() as path:
        return load_peer_access(path) if path else {}


def _ask(peers: tuple[Peer, ...], access: Mapping[str, PeerAccess]) -> Mapping[str, CheckResult]:
    """By the name of the peer."""
    return asyncio.run(_ask_all(peers, access))


async def _ask_all(peers: tuple[Peer, ...], access: Mapping[str, PeerAccess]) -> Mapping[str, CheckResult]:
    from vitcam.parts.peers.client import PeerClient, PeerTrouble, open_session

    async with open_session() as session:

        async def ask(peer: Peer) -> CheckResult:
            its = access.get(peer.name, NO_ACCESS)
            client = PeerClient(session, peer, its)
            try:
                status, reason = await client.state()
                await client.still()
            except PeerTrouble as trouble:
                found, _, fix = str(trouble).partition("; ")
                shown = "" if its.fingerprint else await asyncio.to_thread(fingerprint_of, peer)
                known = f"; its certificate has the SHA-256 {shown}" if shown and "certificate" in found else ""
                return CheckResult("fail", f"{peer.address}: {found}{known}", fix)
            way = "https" if peer.is_secure else "http, not encrypted"
            said = f"{peer.address} is {status}{f' ({reason})' if reason else ''}, {way}"
            return CheckResult("ok" if status in ("ok", "degraded") else "warn", said)

        return dict(zip((peer.name for peer in peers), await asyncio.gather(*map(ask, peers)), strict=True))


def fingerprint_of(peer: Peer) -> str:
    """SHA-256 of the certificate that a peer shows, whoever it is; empty where it shows none."""
    if not peer.is_secure:
        return ""
    parts = urlsplit(peer.address)
    host = parts.hostname or ""
    try:
        return fingerprint_shown(socket.create_connection((host, parts.port or 443), _WITHIN_S), host)
    except (OSError, ValueError):
        return ""

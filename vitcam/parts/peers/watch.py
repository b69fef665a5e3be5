"""Fetches what the wall shows of every peer, in one thread, and only while somebody looks."""

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vitcam.daemon.run import Run
from vitcam.errors import ConfigError
from vitcam.folders import state_folder
from vitcam.parts.peers import ASKS
from vitcam.parts.peers.access import NO_ACCESS, PeerAccess, all_peers, load_peer_access, peer_tokens_file
from vitcam.parts.peers.answers import Caption, LastEvent, PeerStatus
from vitcam.parts.peers.peer import Peer
from vitcam.parts.peers.settings import PeerSettings
from vitcam.parts.peers.state import PeerCount
from vitcam.run.kinds import Configured, Reports, Runs
from vitcam.slot import Slot
from vitcam.storage.files import stamp_of
from vitcam.threads.worker import Worker

if TYPE_CHECKING:
    from asyncio import Task

    from aiohttp import ClientSession

    from vitcam.config.settings import Settings
    from vitcam.parts.peers.client import PeerClient
    from vitcam.run.ending import Ending

log = logging.getLogger(__name__)

LOOKS_S = 12.0
"""Whoever looks asks again within this time, or has left."""
_EVERY_S = 1.5  # a still
_STATE_EVERY_S = 4.5  # state and newest event
_AGAIN_S = 3.0  # a peer that is away
_CAPTION_S = 10.0  # a picture that is not classified yet has the answer of the one before
_TICK_S = 0.25
_IDLE_S = 10.0  # a thread that nobody needs beats
_TOKENS_EVERY_S = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """The newest picture of a camera."""

    jpeg: bytes
    number: int
    """Another one for each picture."""
    came_s: float
    """Monotonic."""


@dataclass(frozen=True, slots=True)
class PeerSeen:
    """What is known of a peer now."""

    status: PeerStatus
    reason: str = ""
    """Why it gives no picture, or is not well, as one sentence; empty while all is well."""
    caption: Caption | None = None
    last: LastEvent | None = None
    still: Still | None = None
    """None: it has no picture now."""


class PeerWatch(Runs, Configured, Reports):
    """Any thread may call it. The thread begins when somebody looks for the first time.

    folder  the state folder with the tokens; None: there is none
    """

    def __init__(self, peers: tuple[Peer, ...], folder: Path | None) -> None:
        self.folder = folder
        self._wake = threading.Event()
        self._over = False
        self._wanted_until_s = 0.0
        self._number = 0
        self._kept = KeptAccess(folder)
        self._merging = threading.Lock()
        self._own: tuple[Peer, ...] = ()
        self._slots: Mapping[str, Slot[PeerSeen]] = {}
        self.peers: tuple[Peer, ...] = ()
        """Those of the configuration, then those that were added on the page."""
        self.worker = Worker("peers", self._run, ASKS)
        self.change(peers)

    def change(self, own: tuple[Peer, ...]) -> None:
        """The configuration names these from now on."""
        self._own = own
        self._merge(self._kept.now())

    def is_added(self, name: str) -> bool:
        """Whether a camera was added on the page."""
        return self.slot(name) is not None and all(peer.name != name for peer in self._own)

    def read(self) -> None:
        """What is kept has changed."""
        self._merge(self._kept.now(at_once=True))

    def _merge(self, kept: Mapping[str, PeerAccess]) -> None:
        with self._merging:
            peers = all_peers(self._own, kept)
            same = {peer.name for peer in peers if peer in self.peers}
            self._slots = {peer.name: self._slots[peer.name] if peer.name in same else Slot() for peer in peers}
            self.peers = peers

    @property
    def workers(self) -> tuple[Worker, ...]:
        return (self.worker,)

    def start(self) -> None:
        """Nothing: it begins when somebody looks."""

    def apply(self, new: "Settings") -> None:
        self.change(new[PeerSettings].own)

    def state(self) -> PeerCount:
        return PeerCount(len(self.peers))

    def look(self) -> None:
        """Somebody looks: everything is fetched for a while."""
        self._wanted_until_s = time.monotonic() + LOOKS_S
        if self.peers and not self._over:
            self._wake.set()
            self.worker.start()

    def slot(self, name: str) -> Slot[PeerSeen] | None:
        """Holds what is known of a peer, nothing before its first answer; None: there is no such peer."""
        return self._slots.get(name)

    def stop(self, ending: "Ending") -> None:
        """End what is running, and begin nothing more."""
        self._over = True
        self._wake.set()
        self.worker.stop()

    @property
    def _is_wanted(self) -> bool:
        return not self._over and bool(self.peers) and time.monotonic() < self._wanted_until_s

    def _run(self) -> None:
        import asyncio  # few cameras have peers

        while not self._over:
            self.worker.beat()
            self._wake.clear()
            if self._is_wanted:
                asyncio.run(self._fetch_while_wanted())
                for slot in self._slots.values():
                    slot.clear()  # a picture that is old by the next look
            else:
                self._wake.wait(_IDLE_S)

    async def _fetch_while_wanted(self) -> None:
        import asyncio

        from vitcam.parts.peers.client import open_session  # takes 0.3 s

        tasks: dict[tuple[Peer, PeerAccess], asyncio.Task[None]] = {}
        async with open_session() as session:
            try:
                while self._is_wanted:
                    self.worker.beat()
                    access = self._kept.now()
                    self._merge(access)
                    wanted = {(peer, access.get(peer.name, NO_ACCESS)) for peer in self.peers}
                    for gone in tasks.keys() - wanted:
                        tasks.pop(gone).cancel()
                    for peer, its in wanted - tasks.keys():
                        tasks[peer, its] = asyncio.create_task(self._follow(session, peer, its))
                    await asyncio.sleep(_TICK_S)
            finally:
                for task in tasks.values():
                    task.cancel()
                await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _follow(self, session: "ClientSession", peer: Peer, access: PeerAccess) -> None:
        """Ask one peer again and again. It waits for no other one, and its pictures wait for no event."""
        import asyncio

        from vitcam.parts.peers.client import PeerClient, PeerTrouble

        client, slot, asked_s = PeerClient(session, peer, access), self._slots[peer.name], float("-inf")
        status: PeerStatus = "starting"
        reason, last, caption, caption_s = "", None, None, 0.0
        asking: Task[LastEvent | None] | None = None
        try:
            while True:
                began_s, every_s = time.monotonic(), _EVERY_S
                try:
                    if began_s - asked_s >= _STATE_EVERY_S:
                        status, reason = await client.state()
                        asking = asking or asyncio.create_task(_last_event(client, last))
                        asked_s = began_s
                    found = await client.still()
                    if found is None and status in ("ok", "degraded"):
                        asked_s = float("-inf")  # it has lost its picture: the next state says why
                    if asking is not None and asking.done():
                        answered, asking = asking, None
                        last = answered.result()
                    jpeg, said = found or (None, None)
                    if said is not None or began_s - caption_s > _CAPTION_S:
                        caption, caption_s = said, began_s
                    slot.put(PeerSeen(status, reason, caption, last, None if jpeg is None else self._still(jpeg)))
                except PeerTrouble as trouble:
                    slot.put(PeerSeen("away", trouble.sentence, last=last))
                    asked_s, every_s = float("-inf"), _AGAIN_S
                except Exception:
                    log.exception("%s could not be asked", peer.name)
                    slot.put(PeerSeen("away", "asking it failed because of an error in vitcam; see its log", last=last))
                    every_s = _AGAIN_S
                await asyncio.sleep(max(_TICK_S, began_s + every_s - time.monotonic()))
        finally:
            if asking is not None:
                asking.cancel()

    def _still(self, jpeg: bytes) -> Still:
        self._number += 1
        return Still(jpeg, self._number, time.monotonic())


async def _last_event(client: "PeerClient", before: LastEvent | None) -> LastEvent | None:
    """What happened last; what was known before of a camera that shows pictures and does not answer this."""
    from vitcam.parts.peers.client import PeerTrouble

    try:
        return await client.last_event()
    except PeerTrouble:
        return before


class KeptAccess:
    """What is kept of other cameras. Reads the file again when it has changed.

    One that cannot be read is logged, and counts as empty.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._stamp: object = None
        self._unread = ""
        """Why the file could not be read at the last attempt."""
        self._next_s = 0.0
        self._found: Mapping[str, PeerAccess] = {}

    def now(self, *, at_once: bool = False) -> Mapping[str, PeerAccess]:
        if self._folder is None or (time.monotonic() < self._next_s and not at_once):
            return self._found
        self._next_s = time.monotonic() + _TOKENS_EVERY_S
        stamp = stamp_of((peer_tokens_file(self._folder),))
        if stamp != self._stamp:
            try:
                self._found, self._stamp, self._unread = load_peer_access(self._folder), stamp, ""
            except ConfigError as error:  # it is read again, since a change of its owner changes no time of the file
                if str(error) != self._unread:
                    log.warning("%s", error)
                self._found, self._stamp, self._unread = {}, None, str(error)
        return self._found


def make(run: Run) -> list[object]:
    """In every run: cameras may be named while it runs."""
    return [PeerWatch(run.settings[PeerSettings].own, state_folder(run.environ))]

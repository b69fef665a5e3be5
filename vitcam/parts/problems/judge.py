"""Decides from looks whether there is a problem. It knows no clock but that of the looks.

Each look is suspected of one problem at most. A problem begins when nearly all looks of some seconds are suspected of
it, and it ends when none was for some seconds, by limits that are easier to keep (hysteresis). Only looks while all is
well are learned from.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from vitcam.parts.problems.measure import Look
from vitcam.parts.problems.usual import KnownViews, Resemblance, Usual
from vitcam.sentence import Sentence

_NEARLY_ALL = 0.8


class Trouble(StrEnum):
    """What may be wrong, as events name it."""

    COVERED = "camera covered"
    BLINDED = "camera blinded"
    UNFOCUSED = "camera out of focus"
    MOVED = "camera moved"
    FROZEN = "camera frozen"
    """`FrozenWatch` says so, no look does."""


SENTENCES = {
    Trouble.COVERED: Sentence("the camera sees almost nothing: it is covered, or there is no light", "camera.covered"),
    Trouble.BLINDED: Sentence("the camera is blinded: most of its picture is white", "camera.blinded"),
    Trouble.UNFOCUSED: Sentence(
        "the camera's picture is not sharp any more: it is out of focus, or its lens is dirty or wet",
        "camera.unfocused",
    ),
    Trouble.MOVED: Sentence("the camera was moved: it sees none of its usual views", "camera.moved"),
    Trouble.FROZEN: Sentence(
        "the camera is frozen: it sends the same picture again and again; vitcam opens it again, and switching it off "
        "and on may help",
        "camera.frozen",
    ),
}


@dataclass(frozen=True, slots=True)
class ProblemLimits:
    """When a look is suspected; each has a stricter value to begin with and an easier one to last."""

    covered: tuple[float, float] = (0.25, 0.5)
    """The part of the usual detail that is left, at most."""
    blinded: tuple[float, float] = (0.55, 0.4)
    """The white part of the picture, at least."""
    more_white: float = 0.3
    """So much more of the picture must be white than is usual."""
    unfocused: tuple[float, float] = (0.8, 0.4)
    """How much less sharp than usual, at least, as a natural logarithm."""
    least_detail: int = 4
    """Parts of a picture in which something must be recognised, to say anything of its view."""
    begin_s: float = 6.0
    """A problem begins after this time; longer than most people stand before a camera."""
    begin_sure_s: float = 4.0
    """The same where the model looks elsewhere, too."""
    end_s: float = 4.0
    least_looks: int = 5
    learn_s: float = 60.0
    """Nothing is reported before that much was learned."""
    settle_s: float = 60.0
    """A move is reported only if no view was new for this time: what always changes cannot be moved."""
    accept_s: float = 600.0
    """After this time a new view counts as usual."""
    gap_s: float = 10.0
    """After a longer pause what was suspected before does not count."""


@dataclass(frozen=True, slots=True)
class Lasts:
    """A problem, from its first suspected look on."""

    trouble: Trouble
    start_ns: int


@dataclass(frozen=True, slots=True)
class _Suspicion:
    trouble: Trouble | None
    look: Look


class Judge:
    """Gets every look, in order."""

    def __init__(self, limits: ProblemLimits | None = None) -> None:
        self._limits = limits or ProblemLimits()
        self._usual, self._views = Usual(), KnownViews()
        self._recent: deque[_Suspicion] = deque()
        self._learned_s = 0.0
        self._new_view_ns: int | None = None
        self._last_ns: int | None = None
        self.lasting: Lasts | None = None
        """The problem that there is now."""

    def take(self, look: Look) -> Lasts | None:
        """Take one look into account; returns `lasting`."""
        elapsed_s = 0.0 if self._last_ns is None else (look.at_ns - self._last_ns) / 1e9
        self._last_ns = look.at_ns
        if elapsed_s > self._limits.gap_s:
            self._recent.clear()
            elapsed_s = 0.0
        found = self._views.compare(look)
        trouble = self._suspected(look, found) if self._learned_s >= self._limits.learn_s else None
        self._remember(_Suspicion(trouble, look))
        if trouble is None and self.lasting is None:
            self._learn(look, found, elapsed_s)
        self._decide(look.at_ns)
        return self.lasting

    def _suspected(self, look: Look, found: Resemblance) -> Trouble | None:
        """What this look alone seems to show."""
        limits, lasting = self._limits, self.lasting.trouble if self.lasting else None
        white = limits.blinded[lasting is Trouble.BLINDED]
        if look.bright >= white and look.bright >= self._usual.bright + limits.more_white:
            return Trouble.BLINDED
        if look.detail <= limits.covered[lasting is Trouble.COVERED] * self._usual.detail:
            return Trouble.COVERED
        if look.detail < limits.least_detail:
            return None
        sharper = found.sharper if found.is_known else look.sharpness - self._usual.sharpness
        if -sharper >= limits.unfocused[lasting is Trouble.UNFOCUSED]:
            return Trouble.UNFOCUSED
        return Trouble.MOVED if not found.is_known and self._knows_its_views(look.at_ns) else None

    def _knows_its_views(self, now_ns: int) -> bool:
        return self._new_view_ns is not None and now_ns - self._new_view_ns >= self._limits.settle_s * 1e9

    def _learn(self, look: Look, found: Resemblance, elapsed_s: float) -> None:
        self._learned_s += elapsed_s
        self._usual.learn(look)
        if look.detail < self._limits.least_detail:
            return
        if not found.is_known:
            self._new_view_ns = look.at_ns
        self._views.learn(look, found)

    def _remember(self, suspicion: _Suspicion) -> None:
        oldest_ns = suspicion.look.at_ns - max(self._limits.begin_s, self._limits.end_s) * 1e9
        self._recent.append(suspicion)
        while self._recent[0].look.at_ns < oldest_ns:
            self._recent.popleft()

    def _decide(self, now_ns: int) -> None:
        lasting = self.lasting
        begun = next((each for each in Trouble if self._begins(each, now_ns)), None)
        if begun is not None and (lasting is None or lasting.trouble is not begun):
            self.lasting = Lasts(begun, now_ns)
        elif lasting is not None and self._is_over(lasting.trouble, now_ns):
            self.lasting = None
        elif lasting is not None and self._is_accepted(lasting, now_ns):
            self._start_again()

    def _begins(self, trouble: Trouble, now_ns: int) -> bool:
        """Whether nearly all looks of some seconds are suspected of it."""
        limits = self._limits
        recent = self._since(now_ns, limits.begin_s)
        gazes = [each.look.gaze for each in recent if each.trouble is trouble and each.look.gaze is not None]
        if gazes and self._usual.looks_elsewhere(gazes):
            recent = self._since(now_ns, limits.begin_sure_s)
        suspected = sum(each.trouble is trouble for each in recent)
        return suspected >= limits.least_looks and suspected >= _NEARLY_ALL * len(recent)

    def _is_over(self, trouble: Trouble, now_ns: int) -> bool:
        recent = self._since(now_ns, self._limits.end_s)
        return len(recent) >= self._limits.least_looks and all(each.trouble is not trouble for each in recent)

    def _is_accepted(self, lasting: Lasts, now_ns: int) -> bool:
        """Whether a new view has become the usual one. What hides the view never becomes usual."""
        return lasting.trouble is Trouble.MOVED and now_ns - lasting.start_ns >= self._limits.accept_s * 1e9

    def _since(self, now_ns: int, seconds: float) -> list[_Suspicion]:
        return [each for each in self._recent if now_ns - each.look.at_ns <= seconds * 1e9]

    def _start_again(self) -> None:
        """What the camera sees now counts as usual."""
        self._usual, self._views = Usual(), KnownViews()
        self._learned_s, self._new_view_ns, self.lasting = 0.0, None, None
        self._recent.clear()

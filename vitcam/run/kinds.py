"""What an object of a run may ask for, by its base classes. The run finds its objects by these kinds, never by name.

Objects stand in one order: those of the base, then those of each part in the order of `PARTS`. All of them are called
in that order, and ended in the opposite one.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from vitcam.frames import Event, Frame, Prediction, SecondAnswer

if TYPE_CHECKING:
    from vitcam.config.settings import Settings
    from vitcam.history.stored import StoredEvent
    from vitcam.run.awaited import Awaited
    from vitcam.run.ending import Ending
    from vitcam.run.entity import Entity
    from vitcam.run.figures import Figure
    from vitcam.storage.outbox import Delivery
    from vitcam.threads.worker import Watched


class Runs(ABC):
    """Has threads, which the supervisor looks after."""

    @property
    @abstractmethod
    def workers(self) -> "Sequence[Watched]":
        """Its threads, also those that have not begun."""

    @abstractmethod
    def start(self) -> None:
        """Begin. The pipeline has begun already."""

    def hurry(self) -> None:  # noqa: B027 - few have to
        """A signal has asked for the end: give the processor back at once to those who still have to write."""

    @abstractmethod
    def stop(self, ending: "Ending") -> None:
        """End: the last events were told. What hangs is left behind; the supervisor joins the threads."""


class HoldsPixels(ABC):
    """Keeps pictures in memory, in rings or on their way to the disk."""

    @abstractmethod
    def drop_pixels(self) -> None:
        """Masks were drawn: once this returns, no picture that was taken without them comes out any more.

        raises  VitcamError where that cannot be said
        """


class Sees(HoldsPixels):
    """Gets every classified frame, in the publishing thread. While it works, newer frames wait.

    `drop_pixels` is called in another thread, never beside `saw` or `unseen`, and may not wait.
    """

    @abstractmethod
    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        """One frame was classified. A frame that is kept holds the camera's memory: copy or encode it.

        events  what began, lasts or ended with it; mostly nothing
        """

    def rested(self, frame: Frame, prediction: Prediction) -> None:
        """Nothing has moved since the last look: no model saw this frame, which is one of two in a second.

        prediction  what the last look has shown, and what still holds
        """

    def unseen(self, events: tuple[Event, ...]) -> None:
        """Time has passed in a pause, in which no frame is classified. `events` have ended by that."""

    @abstractmethod
    def close(self, events: tuple[Event, ...]) -> None:
        """Nothing more will come. `events` have ended by that."""


class Specifies(ABC):
    """Says more of what is displayed of a frame, before anybody sees it. In the classifying thread: a frame waits."""

    @abstractmethod
    def specify(self, frame: Frame, prediction: Prediction) -> SecondAnswer | None:
        """What it says of the part that the model saw; None: nothing. It raises nothing, and keeps no picture."""


class Hears(ABC):
    """Is told what is there once everybody who `Sees` has seen the frame. In the publishing thread: it may not wait."""

    @abstractmethod
    def heard(self, prediction: Prediction | None, events: tuple[Event, ...]) -> None:
        """One frame was classified, or a problem of a camera that rests began or ended; None in a pause and at the end.

        events  what began, lasts or ended with it, in the pause or with the run; mostly nothing
        """


class Configured(ABC):
    """Takes new settings while it runs."""

    def check(self, new: "Settings") -> None:  # noqa: B027 - few have to
        """Called before anything has changed. Raises UsageError for what cannot be used."""

    @abstractmethod
    def apply(self, new: "Settings") -> None:
        """Use them from now on. In the supervisor's thread; it neither fails nor waits."""


class Reports(ABC):
    """Has a piece of the state. Any thread may ask it, each second."""

    @abstractmethod
    def state(self) -> object:
        """A value of the class that its part names for the state."""

    def troubles(self) -> Iterable[str]:
        """What does not work, each as a sentence, the most important first: the run is `degraded` then."""
        return ()

    def notices(self) -> Iterable[str]:
        """What people should know although nothing is wrong with the run, each as a sentence."""
        return ()

    def words(self) -> str:
        """For the one line that systemd shows; empty while there is nothing to say."""
        return ""

    def figures(self) -> "Iterable[Figure]":
        """For who collects numbers."""
        return ()


class JudgesView(ABC):
    """Finds out whether the camera sees what it usually sees."""

    @property
    @abstractmethod
    def problem(self) -> str | None:
        """Why it does not, as one sentence; None while it does. Any thread may ask."""


class Offers(ABC):
    """Has entities for a household's system."""

    @abstractmethod
    def entities(self) -> "Sequence[Entity]":
        """Those that there are now. Called again and again."""


class Learns(ABC):
    """Learns from what people say of stored events. In a thread that may wait for the disk."""

    @abstractmethod
    def corrected(self, event: "StoredEvent", picture: bytes | None) -> None:
        """An event has another label now, or its own again. It raises nothing.

        picture  JPEG of what the model saw; None: there is none
        """


class KeepsCopies(ABC):
    """Keeps copies of the history's pictures elsewhere below the state folder, also where no run is."""

    @abstractmethod
    def correct(self, event_id: str, label: str | None, before: str | None, picture: bytes | None) -> None:
        """An event gets another label. Raises OSError where its picture cannot be kept; nothing has changed then.

        label    None: its own again
        before   the label that a person had given it; None: nobody had
        picture  JPEG of what the model saw; None: there is none
        """

    @abstractmethod
    def forget(self, event_id: str, label: str) -> None:
        """An event was deleted to which a person had given this label. What is gone already is fine."""


class Watches(ABC):
    """Waits for labels or zones, also such as no setting names."""

    @abstractmethod
    def watched(self) -> "Sequence[Awaited]":
        """Those that there are now. Any thread may ask it, each second."""


class Courier(ABC):
    """Carries messages to a household's system, which may be away for a while. In any thread; none of it waits."""

    @property
    @abstractmethod
    def away(self) -> str:
        """Why nothing arrives there now, as a sentence; empty: it does."""

    @abstractmethod
    def carry(self, delivery: "Delivery") -> bool:
        """Take a message over, to tell every `Sender` later what came of it. False: too many wait already."""


class Sender(ABC):
    """Has messages carried."""

    @abstractmethod
    def delivered(self, delivery: "Delivery", status: Literal["ok", "failed"], detail: str) -> None:
        """What came of a message, perhaps one of an earlier run. In any thread.

        detail  for people: why it failed, or who has it
        """

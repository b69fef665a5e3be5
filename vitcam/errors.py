"""The errors of vitcam. Only the command line prints these.

VitcamError            1   failed at run time
├── UsageError         2   wrong usage, or an input that is not there
│   ├── SourceError    2   no such camera, file or folder
│   └── ModelError     2   a model file that cannot be used
├── SourceLost         1   a camera that worked went away; worth trying again
│   └── MasksUnknown   1   nobody knows what must stay hidden, so there is no picture
├── RestartAsked      75   somebody asked for another start (EX_TEMPFAIL of sysexits.h: systemd starts it again)
└── ConfigError       78   bad configuration (EX_CONFIG of sysexits.h: systemd does not restart on it)

A message says what was found, what is allowed and what to do, in one sentence without a full stop.
An exception of any other class is a bug. It is logged as an error with its stack.
"""

from typing import ClassVar, Final

TOLD_ELSEWHERE: Final = {"told_elsewhere": True}
"""`extra` of a log record about an error that the person is told in a sentence, too. A terminal leaves the record out
unless it is verbose; a file and the journal keep it."""


class VitcamError(Exception):
    """Failed at run time."""

    exit_code: ClassVar[int] = 1

    @property
    def sentence(self) -> str:
        """What it says: a `Sentence` where it was made with one."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else str(self)


class UsageError(VitcamError):
    """Wrong usage, or an input that is not there."""

    exit_code: ClassVar[int] = 2


class SourceError(UsageError):
    """No such camera, file or folder, or one that cannot be opened."""


class ModelError(UsageError):
    """A model file that cannot be used."""


class SourceLost(VitcamError):
    """A source that had worked stopped giving frames; opening it again may help."""


class MasksUnknown(SourceLost):
    """The privacy masks cannot be read, so no picture may be shown; drawing them again helps."""


class ConfigError(VitcamError):
    """An invalid configuration."""

    exit_code: ClassVar[int] = 78


class RestartAsked(VitcamError):
    """The run ended because somebody asked for another start."""

    exit_code: ClassVar[int] = 75


class FixedElsewhere(UsageError):
    """The configuration says it, so the page cannot change it. The sentence has the place."""

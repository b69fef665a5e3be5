"""What may be asked of a camera over MQTT, with the limits that the HTTP interface has."""

import logging
import time
from collections.abc import Callable

from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.running_settings import RunningSettings
from vitcam.errors import UsageError, VitcamError
from vitcam.text import probability_in, readable, shortened

log = logging.getLogger(__name__)

_LONGEST_BYTES = 200
_LOG_EVERY_S = 10.0
_YES, _NO = frozenset({"on", "true", "1"}), frozenset({"off", "false", "0"})


class MqttCommands:
    """Every method may block for seconds. What is wrong is said in one sentence of the log, and changes nothing.

    settings  takes threshold and overlay over
    models    takes another model
    pause     begins or ends a pause
    leave     below which probability an event ends now
    """

    def __init__(
        self,
        settings: RunningSettings,
        models: RunningModel,
        pause: Callable[[bool], None],
        leave: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._models = models
        self._pause = pause
        self._leave = leave
        self._logged_s = float("-inf")
        self._unsaid = 0

    def do(self, command: str, payload: bytes) -> bool:
        """Do one of `vitcam.parts.mqtt.topics.COMMANDS` but `snapshot`; False where it was refused."""
        try:
            self._do(command, _text(payload))
        except VitcamError as error:
            self.refuse(f"set/{command} is refused: {error}")
            return False
        except Exception:
            log.exception("the MQTT command %s failed unexpectedly", command)
            return False
        log.info("asked for over MQTT: %s %s", command, shortened(readable(payload.decode())))
        return True

    def refuse(self, sentence: str) -> None:
        """Log it, but not each one of a flood."""
        now_s = time.monotonic()
        if now_s - self._logged_s < _LOG_EVERY_S:
            self._unsaid += 1
            return
        more = f" ({self._unsaid:,} more were refused before)" if self._unsaid else ""
        self._logged_s, self._unsaid = now_s, 0
        log.warning("MQTT: %s%s", sentence, more)

    def _do(self, command: str, text: str) -> None:
        """Raises VitcamError for what is not allowed or does not work."""
        if command == "pause":
            self._pause(_is_on(text))
        elif command == "model":
            if self._models.fixed:
                raise UsageError(f"the model is set by {self._models.fixed}; change it there")
            self._models.use(text)
        elif command == "threshold":
            enter = probability_in(text)
            if enter is None:
                raise UsageError(f"{shortened(readable(text))!r} was sent; send a number from 0 to 1")
            # an event may not end above the probability at which it begins
            lower = {"events.leave": enter} if enter < self._leave() else {}
            self._settings.change({"events.enter": enter, **lower})
        elif command == "overlay":
            self._settings.change({"overlay.mode": text})


def _text(payload: bytes) -> str:
    if len(payload) > _LONGEST_BYTES:
        raise UsageError(f"{len(payload):,} bytes were sent; {_LONGEST_BYTES} are allowed")
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        raise UsageError("what was sent is not a UTF-8 text") from None
    if not text.strip():
        raise UsageError("nothing was sent; send a value")
    return text.strip()


def _is_on(text: str) -> bool:
    if (word := text.lower()) in _YES | _NO:
        return word in _YES
    raise UsageError(f"{shortened(readable(text))!r} was sent; send ON or OFF")

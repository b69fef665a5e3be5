"""Asks one camera, at one address."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from aiohttp import (
    BasicAuth,
    ClientConnectorCertificateError,
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    hdrs,
)
from yarl import URL

from .const import ANSWER_S, CONNECT_S, HEARTBEAT_S, PORT, SILENT_S
from .messages import Message, messages_in
from .state import CameraState

_USER = "vitcam"
_LONGEST_SENTENCE = 300


class CameraError(Exception):
    """A camera does not do what it was asked for. The text is a sentence."""


class CannotConnectError(CameraError):
    """Nothing answers, or not as a camera of vitcam does."""


class CertificateError(CannotConnectError):
    """The certificate is signed by nobody who is trusted."""


class TooOldError(CameraError):
    """This version of vitcam does not send its state."""


class AccessError(CameraError):
    """The password or the token opens nothing."""


class TooManyTriesError(CameraError):
    """Too many wrong passwords came from here."""


class ReadOnlyError(CameraError):
    """The password or the token only lets somebody watch."""


def url_of(text: str) -> URL:
    """The address of a page, as people type it: `kitchen.local` is enough. Raises ValueError where it is none."""
    plain = text.strip()
    if "://" not in plain:
        typed = URL(f"http://{plain}")
        url = typed if typed.explicit_port else typed.with_port(PORT)
    else:
        url = URL(plain)
    if url.scheme not in ("http", "https") or not url.host or url.user or url.password:
        raise ValueError(f"{text!r} is not the address of a page")
    return url.with_path(f"{url.path.rstrip('/')}/")


class CameraClient:
    """Each method raises CameraError.

    url    of the page, with / at its end
    token  empty: everybody may do everything there
    """

    def __init__(self, session: ClientSession, url: URL, token: str = "") -> None:
        self.url = url
        self._session = session
        self._headers = {hdrs.AUTHORIZATION: f"Bearer {token}"} if token else {}
        self._auth: BasicAuth | None = None

    def with_password(self, password: str) -> "CameraClient":
        """The same camera for who knows the password."""
        client = CameraClient(self._session, self.url)
        client._auth = BasicAuth(_USER, password, "utf-8")
        return client

    async def messages(self) -> AsyncGenerator[Message, None]:
        """The state at once and whenever it changes, and each event; it ends only by an error."""
        silent_s = ANSWER_S if self._auth else SILENT_S  # a busy camera takes seconds to check a password
        timeout = ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=silent_s)
        query = {"predictions": "0", "heartbeat": str(HEARTBEAT_S)}
        response = await self._ask("GET", "api/predictions", timeout, query)
        try:
            async for message in messages_in(response.content.iter_any()):
                yield message
        except (ClientError, TimeoutError, ValueError) as error:
            raise CannotConnectError(_sentence(error)) from error
        finally:
            response.close()
        raise CannotConnectError("the camera has ended the connection")

    async def first_state(self) -> CameraState:
        """How it is now."""
        async with aclosing(self.messages()) as messages:
            async for message in messages:
                if message.kind == "state":
                    return parsed(message)
                if message.kind == "prediction":
                    break
        raise TooOldError("this version of vitcam does not send its state")

    async def make_token(self, name: str) -> str:
        """A token that may do everything, in place of one of this name; empty where none is needed."""
        await self.revoke_token(name)
        try:
            made = await self._json("POST", "api/tokens", {"name": name, "scope": "control"})
        except NotThereError:
            return ""
        return str(made["token"])

    async def revoke_token(self, name: str) -> None:
        """Take a token back. One that is not there is fine."""
        try:
            await self._json("DELETE", f"api/tokens/{name}")
        except NotThereError:
            return

    async def models(self) -> tuple[str, ...]:
        """Those that can be chosen."""
        return tuple((await self._json("GET", "api/models"))["models"])

    async def use_model(self, name: str, within_s: float) -> None:
        """Classify with another model from the next frame on."""
        await self._json("POST", "api/model", {"name": name}, within_s)

    async def pause(self, paused: bool) -> None:
        """Pause, or end the pause."""
        await self._json("POST", "api/playback", {"paused": paused})

    async def set_threshold(self, threshold: float) -> None:
        """From which probability on an event begins; it may not end above that."""
        settings = {each["name"]: each["value"] for each in (await self._json("GET", "api/settings"))["settings"]}
        lower = {"events.leave": threshold} if threshold < settings["events.leave"] else {}
        await self._json("PATCH", "api/settings", {"events.enter": threshold, **lower})

    async def newest_event(self) -> Mapping[str, Any] | None:
        """The last one that has a picture, of the last few."""
        found = await self._json("GET", "api/events?limit=10")
        return next((each for each in found["events"] if each["frame"]), None)

    async def still(self, width: int | None) -> bytes:
        """The newest picture, as JPEG."""
        return await self._bytes("snapshot.jpg", {"width": str(min(max(width, 160), 1920))} if width else {})

    async def picture_of(self, event_id: str) -> bytes:
        """The best picture of an event, as JPEG."""
        return await self._bytes(f"api/events/{event_id}/frame.jpg", {})

    async def stream(self, fps: int) -> ClientResponse:
        """MJPEG without end."""
        timeout = ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=ANSWER_S)
        return await self._ask("GET", "stream", timeout, {"fps": str(fps)})

    async def _bytes(self, path: str, query: Mapping[str, str]) -> bytes:
        try:
            async with await self._ask("GET", path, ClientTimeout(ANSWER_S), query) as response:
                return await response.read()
        except (ClientError, TimeoutError) as error:
            raise CannotConnectError(_sentence(error)) from error

    async def _json(self, method: str, path: str, body: object = None, within_s: float = ANSWER_S) -> Any:
        try:
            async with await self._ask(method, path, ClientTimeout(within_s), body=body) as response:
                return await response.json()
        except (ClientError, TimeoutError, ValueError) as error:
            raise CannotConnectError(_sentence(error)) from error

    async def _ask(
        self,
        method: str,
        path: str,
        timeout: ClientTimeout,
        query: Mapping[str, str] | None = None,
        body: object = None,
    ) -> ClientResponse:
        url = self.url.join(URL(path))
        try:
            response = await self._session.request(
                method,
                url.update_query(query) if query else url,
                json=body,
                headers=self._headers,
                auth=self._auth,
                timeout=timeout,
                allow_redirects=False,
            )
        except ClientConnectorCertificateError as error:
            raise CertificateError(_sentence(error)) from error
        except (ClientError, TimeoutError, OSError) as error:
            raise CannotConnectError(_sentence(error)) from error
        if response.status == 200:
            return response
        try:
            raise await _refusal(response)
        finally:
            response.close()


class NotThereError(CameraError):
    """There is nothing of that name."""


async def _refusal(response: ClientResponse) -> CameraError:
    try:
        sentence = str((await response.json())["error"])[:_LONGEST_SENTENCE]
    except (ClientError, TimeoutError, ValueError, LookupError, TypeError):
        sentence = f"the answer has status {response.status}"
    kinds = {401: AccessError, 403: ReadOnlyError, 404: NotThereError, 429: TooManyTriesError}
    return kinds.get(response.status, CameraError)(sentence)


def parsed(message: Message) -> CameraState:
    """The state of a message. Raises CannotConnectError where it is none."""
    try:
        return CameraState.of(message.data)
    except (LookupError, TypeError, ValueError) as error:
        raise CannotConnectError(f"the state cannot be read: {error!r}") from error


def _sentence(error: Exception) -> str:
    return str(error) or type(error).__name__

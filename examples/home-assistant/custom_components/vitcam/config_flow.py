"""Adds a camera: found by itself, or by its address; and asks for a password where there is one."""

from collections.abc import Mapping
from typing import Any

import voluptuous as vol
from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntryState,
    ConfigFlow,
    ConfigFlowResult,
)
from homeassistant.const import CONF_PASSWORD, CONF_TOKEN, CONF_URL, CONF_VERIFY_SSL
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.selector import TextSelector, TextSelectorConfig, TextSelectorType
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from yarl import URL

from .client import (
    AccessError,
    CameraClient,
    CameraError,
    CertificateError,
    ReadOnlyError,
    TooManyTriesError,
    TooOldError,
    url_of,
)
from .const import DOMAIN
from .issues import device_of_mqtt
from .state import CameraState, unique_id_of
from .tokens import token_name

_ADDRESS = vol.Schema({vol.Required(CONF_URL): str, vol.Required(CONF_VERIFY_SSL, default=True): bool})
_PASSWORD = vol.Schema(
    {
        vol.Required(CONF_PASSWORD): TextSelector(
            TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="current-password")
        )
    }
)


class VitcamConfigFlow(ConfigFlow, domain=DOMAIN):
    """One dialog."""

    VERSION = 1
    _state: CameraState
    """Of the camera that was found at the address."""

    def __init__(self) -> None:
        self._url = URL()
        self._verify_ssl = True
        self._name = ""

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the address."""
        return await self._ask_address("user", user_input)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for another address of the same camera."""
        if user_input is None:
            self._start_from(self._get_reconfigure_entry().data)
        return await self._ask_address("reconfigure", user_input)

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        """The camera does not take the token any more."""
        self._start_from(entry_data)
        self._name = self._get_reauth_entry().title
        return await self.async_step_password()

    async def async_step_zeroconf(self, discovery_info: ZeroconfServiceInfo) -> ConfigFlowResult:
        """A camera was found in the network."""
        told = discovery_info.properties
        if discovery_info.ip_address.is_link_local or not told.get("id") or not told.get("serial"):
            return self.async_abort(reason="not_reachable")
        await self.async_set_unique_id(unique_id_of(told["id"], told["serial"]))
        tls = told.get("tls") == "1"
        host = discovery_info.hostname.rstrip(".") if tls else discovery_info.host  # a certificate is for a name
        self._url = URL.build(
            scheme="https" if tls else "http",
            host=host,
            port=discovery_info.port,
            path=f"/{(told.get('path') or '').strip('/')}/".replace("//", "/"),
        )
        self._abort_if_known()
        self._name = told.get("name") or told["id"]
        self.context["title_placeholders"] = {"name": self._name}
        if device_of_mqtt(self.hass, told["id"]):
            return self.async_abort(reason="known_by_mqtt", description_placeholders={"name": self._name})
        error = await self._look(self._client())
        if error == "invalid_auth":
            return await self.async_step_password()
        if error:
            return await self._ask_address("user", None, error)
        return await self.async_step_confirm()

    async def async_step_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask whether a camera without a password is to be added."""
        if user_input is None:
            return self.async_show_form(step_id="confirm", description_placeholders={"name": self._name})
        return await self._finish("")

    async def async_step_password(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the password, and change it for a token."""
        errors = {}
        if user_input is not None:
            client = self._client().with_password(user_input[CONF_PASSWORD])
            error = await self._look(client)
            if not error:
                await self._check_camera()
                try:
                    return await self._finish(await client.make_token(await token_name(self.hass)))
                except CameraError as trouble:
                    error = _key_of(trouble)
            errors["base"] = error
        placeholders = {"name": self._name or str(self._url)}
        return self.async_show_form(
            step_id="password", data_schema=_PASSWORD, errors=errors, description_placeholders=placeholders
        )

    async def _ask_address(self, step_id: str, user_input: dict[str, Any] | None, error: str = "") -> ConfigFlowResult:
        if user_input is not None:
            try:
                self._url, self._verify_ssl = url_of(user_input[CONF_URL]), user_input[CONF_VERIFY_SSL]
            except ValueError:
                error = "invalid_url"
            else:
                error = await self._look(self._client(self._token()))
                if not error:
                    return await self._finish(self._token())
                if error == "invalid_auth":
                    return await self.async_step_password()
        typed = user_input or {CONF_URL: str(self._url), CONF_VERIFY_SSL: self._verify_ssl}
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(_ADDRESS, typed),
            errors={"base": error} if error else {},
        )

    def _start_from(self, data: Mapping[str, Any]) -> None:
        self._url, self._verify_ssl = URL(data[CONF_URL]), data[CONF_VERIFY_SSL]

    def _token(self) -> str:
        """The one that there is, where only the address changes."""
        if self.source != SOURCE_RECONFIGURE:
            return ""
        return str(self._get_reconfigure_entry().data[CONF_TOKEN])

    def _client(self, token: str = "") -> CameraClient:
        return CameraClient(async_get_clientsession(self.hass, self._verify_ssl), self._url, token)

    async def _look(self, client: CameraClient) -> str:
        """Find out who is there; the key of an error, empty: all is well."""
        try:
            self._state = await client.first_state()
        except CameraError as error:
            return _key_of(error)
        return ""

    def _abort_if_known(self) -> None:
        """Follow a camera to its new address, unless it is reached at the one that is known."""
        entry = self.hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, self.unique_id or "")
        reached = entry is not None and entry.state is ConfigEntryState.LOADED and entry.runtime_data.connected
        self._abort_if_unique_id_configured({} if reached else {CONF_URL: str(self._url)})

    async def _check_camera(self) -> CameraState:
        """Abort where it is not the camera that is meant, or one that is there already."""
        await self.async_set_unique_id(self._state.unique_id, raise_on_progress=self.source != SOURCE_USER)
        if self.source in (SOURCE_REAUTH, SOURCE_RECONFIGURE):
            self._abort_if_unique_id_mismatch(reason="another_camera")
        else:
            self._abort_if_unique_id_configured()
        return self._state

    async def _finish(self, token: str) -> ConfigFlowResult:
        state = await self._check_camera()
        data = {CONF_URL: str(self._url), CONF_VERIFY_SSL: self._verify_ssl, CONF_TOKEN: token}
        if self.source == SOURCE_REAUTH:
            return self.async_update_reload_and_abort(self._get_reauth_entry(), data=data)
        if self.source == SOURCE_RECONFIGURE:
            return self.async_update_reload_and_abort(self._get_reconfigure_entry(), data=data)
        if device_of_mqtt(self.hass, state.id):
            return self.async_abort(reason="known_by_mqtt", description_placeholders={"name": state.name})
        return self.async_create_entry(title=state.name, data=data)


def _key_of(error: CameraError) -> str:
    """Of the sentence that a person reads."""
    kinds = {
        AccessError: "invalid_auth",
        CertificateError: "certificate",
        ReadOnlyError: "read_only",
        TooManyTriesError: "too_many_tries",
        TooOldError: "too_old",
    }
    return kinds.get(type(error), "cannot_connect")

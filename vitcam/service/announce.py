"""Says in the local network where the page is: files of Avahi, which answers for this machine by mDNS and DNS-SD.

A Raspberry Pi and most desktops have Avahi. It reads these files by itself, and it follows the machine's addresses and
name. Where there is no Avahi, nothing is written: a second answerer on a machine is what its makers warn of.

source  avahi.service(5); RFC 6763
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from vitcam.config.identity import Identity
from vitcam.config.web import WebSettings
from vitcam.errors import VitcamError
from vitcam.machine import Machine
from vitcam.service.network import settings_of
from vitcam.service.places import Instance, Places
from vitcam.service.units import write_whole
from vitcam.web.requests.allowed_hosts import is_local

_MARK: Final = "<!-- written by vitcam service install -->"
"""What a file without this line holds is somebody else's."""
_MOST_BYTES: Final = 255  # of a TXT record, with its key


def announcement(instance: Instance, web: WebSettings, version: str, identity: Identity) -> str | None:
    """The file for Avahi; None where other machines reach no page, its port is not known, or it is switched off.

    It has two services: for browsers of web pages, and for programs that look for cameras of vitcam.
    """
    if not (web.enabled and web.announce and web.port) or is_local(web.host):
        return None
    page = {"path": f"{web.base.rstrip('/')}/", "version": version, "name": instance.name}
    camera = {**page, **asdict(identity), "port": str(web.port), "tls": str(int(bool(web.certificate)))}
    title = f"vitcam {instance.name}".strip()
    return (
        '<?xml version="1.0" standalone="no"?>\n'
        '<!DOCTYPE service-group SYSTEM "avahi-service.dtd">\n'
        f"{_MARK}\n"
        "<service-group>\n"
        f'  <name replace-wildcards="yes">{escape(title)} on %h</name>\n'
        f"{_service('_https' if web.certificate else '_http', web.port, page)}"
        f"{_service('_vitcam', web.port, camera)}"
        "</service-group>\n"
    )


def _service(kind: str, port: int, records: Mapping[str, str]) -> str:
    texts = [f"{key}={value}" for key, value in records.items() if value]
    told = "".join(f"    <txt-record>{escape(text)}</txt-record>\n" for text in texts if _fits(text))
    return f"  <service>\n    <type>{kind}._tcp</type>\n    <port>{port}</port>\n{told}  </service>\n"


def announce(places: Places, instance: Instance, version: str) -> bool:
    """Write the file of this service as its settings are now, or take it away. Whether it is announced.

    raises  ConfigError for settings that are invalid; OSError
    """
    settings = settings_of(places, instance)
    identity = Identity.of(settings, instance.state(places), Machine({}, places.root))
    text = announcement(instance, settings.web, version, identity)
    path = _file(places, instance)
    if text is None or not path.parent.is_dir():
        _remove(path)
        return False
    if path.exists() and not _is_ours(path):
        return False
    if _text(path) != text:
        write_whole(path, text.encode())
    return True


def announce_all(places: Places, units: Iterable[str], version: str) -> None:
    """As `announce`, for all these units. What cannot be announced does not stop an upgrade."""
    for unit in units:
        try:
            announce(places, Instance.of_unit(unit), version)
        except (VitcamError, OSError):
            continue  # the service says itself what is wrong with its settings


def end_announcements(places: Places) -> None:
    """Remove all files that `announce` wrote. Raises OSError."""
    for path in (*places.announcements.glob("vitcam.service"), *places.announcements.glob("vitcam-*.service")):
        _remove(path)


def _file(places: Places, instance: Instance) -> Path:
    return places.announcements / (f"vitcam-{instance.name}.service" if instance.name else "vitcam.service")


def _fits(text: str) -> bool:
    return len(text.encode()) <= _MOST_BYTES


def _remove(path: Path) -> None:
    if _is_ours(path):
        path.unlink()


def _is_ours(path: Path) -> bool:
    return _MARK in _text(path)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return ""

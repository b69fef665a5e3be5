"""Settings of the page, the streams and the HTTP interface."""

from dataclasses import dataclass
from typing import Annotated

from vitcam.config.base_path import OWN_PATHS, is_base_path
from vitcam.config.option import Rule, Why
from vitcam.config.validators import is_host_name, is_network, is_site


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The page, the streams and the HTTP interface."""

    enabled: Annotated[bool, Rule("Serve the page and the HTTP interface", page=Why.ADDRESS)] = True
    host: Annotated[
        str,
        Rule("Address to listen on. 0.0.0.0: the network can reach it, with a password", filled=True, page=Why.ADDRESS),
    ] = "127.0.0.1"
    port: Annotated[int, Rule("TCP port to listen on. 0: any free one", low=0, high=65535, page=Why.ADDRESS)] = 8420
    names: Annotated[
        tuple[str, ...],
        Rule(
            "DNS names of this machine under which the page may be opened from the network. IP addresses, names "
            "without a dot, and names in .local, .lan, .home.arpa and .internal need no entry. In the environment and "
            "with --set, put commas between the names",
            form=is_host_name,
            form_words="host names such as cam.example.org",
            live=True,
            page=Why.ACCESS,
        ),
    ] = ()
    open: Annotated[
        bool,
        Rule(
            "Let everybody who reaches `host` watch and change settings, without a password. This machine always may",
            page=Why.ACCESS,
        ),
    ] = False
    certificate: Annotated[
        str,
        Rule(
            "PEM file with the certificate, for https. It is read again when it changes. Empty: http",
            page=Why.CERTIFICATE,
        ),
    ] = ""
    key: Annotated[
        str,
        Rule(
            "PEM file with the private key of the certificate. Empty: it is in the file of the certificate",
            page=Why.CERTIFICATE,
        ),
    ] = ""
    announce: Annotated[
        bool,
        Rule(
            "Let `vitcam service install` tell the local network, by Avahi, where the page is. It tells nothing if no "
            "other machine reaches the page",
            page=Why.ADDRESS,
        ),
    ] = True
    proxies: Annotated[
        tuple[str, ...],
        Rule(
            "Addresses of reverse proxies in front of vitcam. What they say in X-Forwarded-For, -Host, -Proto and "
            "-Prefix is believed",
            form=is_network,
            form_words="IP addresses such as 192.168.1.2, or small networks such as 172.18.0.0/29",
            page=Why.PROXY,
        ),
    ] = ()
    base: Annotated[
        str,
        Rule(
            "Path at which a reverse proxy shows this vitcam, where that is not the root of a host. Empty: the root, "
            "or what a proxy of `proxies` says in X-Forwarded-Prefix",
            form=is_base_path,
            form_words="a path such as /cameras/vitcam, of letters, digits and -._~, whose first part is none of "
            f"{', '.join(OWN_PATHS)}",
            example="/cameras/vitcam",
            page=Why.PROXY,
        ),
    ] = ""
    fetch: Annotated[
        bool,
        Rule(
            "Let those who may change settings name pictures on the public internet that vitcam then fetches. Nothing "
            "of this machine or of its network is fetched",
            page=Why.FETCH,
        ),
    ] = False
    frames: Annotated[
        tuple[str, ...],
        Rule(
            "Sites that may show the page in a frame, such as a dashboard. With https, browsers then show vitcam its "
            "session inside these frames, too",
            form=is_site,
            form_words="sites such as https://home.example or http://192.168.1.5:8123, without a path",
            example=("https://home.example",),
            page=Why.ACCESS,
        ),
    ] = ()

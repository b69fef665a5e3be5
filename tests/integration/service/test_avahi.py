"""Debian's avahi-daemon reads what `vitcam service install` writes, and another program finds the page by it.

It runs in namespaces of its own, where the only network is the loopback. That needs root.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.needs import missing, need_program
from vitcam.config.identity import Identity
from vitcam.config.web import WebSettings
from vitcam.service.announce import announce, announcement
from vitcam.service.places import Instance, Places

pytestmark = pytest.mark.slow("vitcam/service/announce.py")
_BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={folder}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
<allow user="*"/></policy></busconfig>"""
# what is found is printed once the daemon has settled: avahi-browse -t ends when it knows all
_SCRIPT = """
set -e
ip link set lo up
mount --bind "$FOLDER/etc/avahi/services" /etc/avahi/services
dbus-daemon --config-file="$FOLDER/bus.conf" --nofork --nosyslog & bus=$!
export DBUS_SYSTEM_BUS_ADDRESS=unix:path="$FOLDER/bus"
until [ -S "$FOLDER/bus" ]; do sleep 0.05; done
avahi-daemon -f "$FOLDER/avahi.conf" --no-drop-root --no-rlimits --no-chroot > "$FOLDER/log" 2>&1 & avahi=$!
trap 'kill $avahi $bus' EXIT
until [ "$(grep -c 'successfully established' "$FOLDER/log")" = 2 ]; do sleep 0.1; kill -0 $avahi; done
avahi-browse --terminate --resolve --parsable --all
"""
_PACKAGES = {
    "avahi-daemon": "avahi-daemon",
    "avahi-browse": "avahi-utils",
    "dbus-daemon": "dbus",
    "unshare": "util-linux",
}


def test_another_program_finds_every_page_by_avahi(tmp_path: Path) -> None:
    for program, package in _PACKAGES.items():
        if not need_program(program, f"/usr/sbin/{program}"):
            missing(package)
    if os.geteuid() != 0:
        missing("only root can make namespaces with a network of their own")
    places = Places(tmp_path)
    places.announcements.mkdir(parents=True)
    places.config.mkdir(parents=True)
    places.system_config.write_text('[web]\nhost = "0.0.0.0"\nbase = "/cameras/vitcam"\n[mqtt]\nname = "garden"\n')
    (places.config / "front.toml").write_text('[web]\nport = 8431\ncertificate = "/etc/vitcam/c.pem"\n')
    for instance in (Instance(), Instance("front")):
        assert announce(places, instance, "1.0")
    (tmp_path / "bus.conf").write_text(_BUS.format(folder=tmp_path))
    (tmp_path / "avahi.conf").write_text("[server]\nhost-name=vitcam\nuse-ipv6=no\n")

    ran = subprocess.run(
        ["unshare", "--mount", "--net", "sh", "-c", _SCRIPT],
        env={**os.environ, "FOLDER": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    found = [line.split(";") for line in ran.stdout.splitlines() if line.startswith("=")]

    both = '"version=1.0" "path=/cameras/vitcam/"'
    cameras = [each for each in found if each[4] == "_vitcam._tcp"]
    texts = [dict(text.strip('"').split("=", 1) for text in each[9].split('" "')) for each in cameras]
    found = [each for each in found if each not in cameras]
    assert ran.returncode == 0, ran.stderr
    # name, type as it is called, host, port, TXT
    assert sorted([each[3].replace("\\032", " "), each[4], each[6], each[8], each[9]] for each in found) == [
        ["vitcam front on vitcam", "Secure Web Site", "vitcam.local", "8431", f'"name=front" {both}'],
        ["vitcam on vitcam", "Web Site", "vitcam.local", "8420", both],
    ], ran.stdout
    keys = ("id", "name", "version", "port", "tls", "path")
    assert sorted([text[key] for key in keys] for text in texts) == [
        ["vitcam_garden", "garden", "1.0", port, tls, "/cameras/vitcam/"]
        for port, tls in (("8420", "0"), ("8431", "1"))
    ]
    assert len({text["serial"] for text in texts}) == 2  # both have one name


def test_the_file_is_valid_by_avahis_own_dtd(tmp_path: Path) -> None:
    dtd = Path("/usr/share/avahi/avahi-service.dtd")
    if not dtd.exists():
        missing("Avahi's DTD is not there: apt install avahi-daemon")
    hostile = announcement(Instance('<&"'), WebSettings(host="0.0.0.0", base="/<&"), "1.0", Identity("<&", "<&", "<&"))
    (tmp_path / "vitcam.service").write_text(hostile or "")

    command = [need_program("xmllint"), "--noout", "--dtdvalid", str(dtd), str(tmp_path / "vitcam.service")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert ran.returncode == 0, ran.stderr

#!/bin/bash
# The Debian package in a Debian trixie with its real systemd, which systemd-nspawn boots; no network, as root:
#
#   tests/deb/machine.sh PACKAGE.deb [WHEELS]    some minutes; ROOT is the folder of the machine, made where it is missing
#
# WHEELS: a folder with the wheels of a checkout's service, else they are fetched. CASES="takeover first_boot" are both
# boots. Needs mmdebstrap and systemd-container.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
deb=$1 wheels=${2:-}
PYTHON=${PYTHON:-.venv/bin/python}
ROOT=${ROOT:-${TMPDIR:-/tmp}/vitcam-trixie}
packages=systemd,systemd-sysv,dbus,libnss-systemd,python3,python3-venv,python3-numpy,libgcc-s1,libstdc++6,zlib1g,procps
packages+=,cloud-init,ca-certificates,netbase,iproute2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -d "$ROOT" ]; then
  mmdebstrap --quiet --mode=root --variant=minbase --aptopt='Apt::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --include="$packages" trixie "$ROOT.new"
  mv "$ROOT.new" "$ROOT"
fi

cp "$deb" "$work/vitcam.deb"
if [ -n "$wheels" ]; then
  cp -r "$wheels" "$work/wheels"
else
  platforms=(--platform manylinux2014_x86_64)
  for minor in {17..41}; do platforms+=(--platform "manylinux_2_${minor}_x86_64"); done
  "$PYTHON" -m pip download --quiet --no-deps --require-hashes --dest "$work/wheels" --only-binary :all: \
    --python-version 3.13 "${platforms[@]}" --requirement deb/deb13.txt
  "$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir "$work/wheels" .
fi
# the same package in a later version, whose daemon fails
dpkg-deb --raw-extract "$deb" "$work/broken"
sed -i 's/^Version: .*~/Version: 99.0~/' "$work/broken/DEBIAN/control"
cat >> "$work"/broken/usr/lib/vitcam/lib/python3*/site-packages/vitcam/daemon/supervisor.py <<'END'


def supervise(options: RunOptions, environ: Mapping[str, str]) -> None:
    raise VitcamError("version 99.0 fails on purpose")
END
dpkg-deb --root-owner-group -Zzstd -z1 --build "$work/broken" "$work/broken.deb" > "$work/built"
rm -r "$work/broken"
mkdir "$work/tests"
cp -r tests/__init__.py tests/deb tests/pivm "$work/tests"

# the boot partition of a card, and where Raspberry Pi OS tells cloud-init of it
mkdir "$work/firmware"
cp "$deb" examples/first-boot/vendor-data "$work/firmware"
echo "password=nuthatch-and-wren" > "$work/firmware/vitcam.txt"
echo "instance-id: card" > "$work/firmware/meta-data"
printf '#cloud-config\nhostname: birdhouse\n' > "$work/firmware/user-data"
cat > "$work/cloud.cfg" <<'END'
datasource_list: [NoCloud, None]
datasource: {NoCloud: {seedfrom: "file:///boot/firmware/"}}
network: {config: disabled}
END

mkdir "$work/units"
cat > "$work/units/vitcam-test.service" <<'END'
[Unit]
After=network.target
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=exec
WorkingDirectory=/io
Environment=HOME=/root LANG=C.UTF-8 PIP_NO_INDEX=1 PIP_FIND_LINKS=/io/wheels PIP_NO_COMPILE=1
ExecStart=/usr/bin/python3 -u -m tests.deb.inside $CASE
StandardOutput=file:/io/out
StandardError=inherit
RuntimeMaxSec=1500
END
for CASE in ${CASES:-takeover first_boot}; do
  sed "s/[$]CASE/$CASE/" "$work/units/vitcam-test.service" > "$work/vitcam-test.service"
  : > "$work/out"
  tail -n +1 -f "$work/out" &
  shown=$!
  more=()
  if [ "$CASE" = first_boot ]; then
    more=(--bind="$work/firmware:/boot/firmware" --bind-ro="$work/cloud.cfg:/etc/cloud/cloud.cfg.d/99_card.cfg")
  else
    more=(--bind-ro=/dev/null:/etc/cloud/cloud-init.disabled)
  fi
  nice -n 10 systemd-nspawn --quiet --directory "$ROOT" --volatile=overlay --boot --register=no --keep-unit \
    --console=pipe --private-network --bind="$work:/io" "${more[@]}" \
    --bind-ro="$work/vitcam-test.service:/etc/systemd/system/vitcam-test.service" \
    systemd.wants=vitcam-test.service < /dev/null > "$work/console" 2>&1 || tail -20 "$work/console"
  sleep 1
  kill $shown
  grep -q "^all that was checked holds" "$work/out" || exit 1
done

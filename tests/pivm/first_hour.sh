#!/bin/bash
# The page docs/use/first-hour.md, command by command as it stands there, in an emulated machine with the real systemd
# and the real picamera2 on libcamera's virtual cameras:
#
#   tests/pivm/first_hour.sh     takes about ten minutes; PIVM names pivm.sh, PIVM_DIR its folder
#
# The machine has no network. What the commands would fetch is packed: Debian's packages, the committed tree as a git
# repository, and wheels. Raspberry Pi's package of picamera2 stands for the machine's own.
set -euo pipefail
source "$(dirname "$0")/pack.sh"
"$PIVM" build
root=${PIVM_DIR:-${TMPDIR:-/tmp}/pivm}/root

git clone --quiet --bare --depth 1 "file://$PWD" "$work/vitcam.git"
"$PYTHON" -m pip download --quiet --dest "$work/wheels" --only-binary :all: --no-deps pip "setuptools>=77"

# apt as the machine would ask it: its list of sources, and what it has installed already
mkdir -p "$work/debs" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
apt=(apt-get -qq -o "Dir::Etc::SourceList=$root/etc/apt/sources.list" -o Dir::Etc::SourceParts=- -o Debug::NoLocking=1
  -o "Dir::State::Lists=$work/apt/lists" -o "Dir::State::status=$root/var/lib/dpkg/status"
  -o "Dir::Cache=$work/apt/cache" -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" install --download-only --yes --no-install-recommends sudo git make
mv "$work"/apt/cache/archives/*.deb "$work/debs"

# the machine's Python libraries lie in a venv; they stand for those of Raspberry Pi OS, which every Python there sees
mkdir -p "$work/picamera2/DEBIAN" "$work/picamera2/usr/lib/python3/dist-packages"
echo "import site; site.addsitedir('/opt/venv/lib/python3.13/site-packages')" \
  > "$work/picamera2/usr/lib/python3/dist-packages/machine.pth"
printf '%s\n' 'Package: python3-picamera2' 'Version: 0.3.38' 'Architecture: all' 'Depends: python3' \
  'Maintainer: tests <tests@localhost>' "Description: the machine's own picamera2" > "$work/picamera2/DEBIAN/control"
dpkg-deb --build --root-owner-group "$work/picamera2" "$work/debs" > "$work/built"
for deb in "$work"/debs/*.deb; do
  dpkg-deb --field "$deb"
  printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$(basename "$deb")" "$(stat -c %s "$deb")" \
    "$(sha256sum "$deb" | cut -d' ' -f1)"
done > "$work/Packages"
mv "$work/Packages" "$work/debs"
chmod -R a+rX "$work/debs" "$work/wheels" "$work/vitcam.git"

"$PIVM" run --systemd --timeout "${PIVM_TIMEOUT:-2400}" --with "$work/wheels" --with "$work/debs" \
  --with "$work/vitcam.git" --with "$work/tree/tests" --with docs/use/first-hour.md tests/pivm/first_hour_inside.sh

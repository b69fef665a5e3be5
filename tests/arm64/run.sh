#!/bin/bash
# The product on Debian for arm64, as a Raspberry Pi 5 has it, in roots that an emulated Cortex-A76 runs:
#
#   tests/arm64/run.sh [trixie|bookworm]...     both without a name; about half an hour each
#
# The committed tree is installed in each root as `vitcam service install` does it. It must keep Debian's NumPy, pass
# the doctor, answer 100 photos as this machine does, and show the daemon's page and pictures. Needs root, a network,
# VITCAM_DATA.
#   ARM64_DIR   keeps the roots, and what they showed (build/arm64)
#   PYTHON      of this machine, with the product and its tests (.venv/bin/python)
# Nothing is timed: the machine is emulated. Exit status 0 if everything holds.
# The registration of qemu stays until the next boot; undo: echo -1 > /proc/sys/fs/binfmt_misc/qemu-aarch64
set -euo pipefail
cd "$(dirname "$0")/../.."
PYTHON=${PYTHON:-.venv/bin/python}
[ "$(id -u)" = 0 ] || { echo "tests/arm64/run.sh makes file systems: run it as root" >&2; exit 2; }

missing=()
command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
command -v qemu-aarch64-static >/dev/null || missing+=(qemu-user-static)
command -v chromium >/dev/null || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
if [ ${#missing[@]} -gt 0 ]; then
  apt-get update -q && apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

binfmt=/proc/sys/fs/binfmt_misc
[ -e $binfmt/register ] || mount -t binfmt_misc none $binfmt
if [ ! -e $binfmt/qemu-aarch64 ]; then
  # F: the kernel keeps the emulator open, so a root needs no copy of it; P: a program's own name stays as it was given
  printf '%s' ':qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'"$(command -v qemu-aarch64-static)"':PF' > $binfmt/register
fi
exec "$PYTHON" -u -m "${MODULE:-tests.arm64}" "$@"

#!/bin/bash
# The Debian package on an emulated Raspberry Pi 5, in a root of the Debian that it is made for, as root:
#
#   tests/deb/arm64.sh PACKAGE.deb...     minutes for each
#
# apt installs it there, its user runs the demo until it is ready, and it is purged. The roots have no systemd.
# ARM64_DIR keeps the roots (build/arm64-deb). Exit status 0 if everything holds.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
packages=()
for each in "$@"; do packages+=("$(realpath "$each")"); done
MODULE=tests.deb.arm64 exec "$here/../arm64/run.sh" "${packages[@]}"

#!/bin/bash
# as_installed.sh ROOT: tell dpkg of the packages that mmdebstrap has unpacked there. Their own scripts are not run:
# that takes an emulated processor twenty minutes.
set -euo pipefail
cd "$1"
mkdir -p var/lib/dpkg/info var/lib/dpkg/updates var/lib/apt/lists/partial etc/apt/preferences.d
: > var/lib/dpkg/available
for each in var/cache/apt/archives/*.deb; do
  name=$(dpkg-deb --field "$each" Package) machine=$(dpkg-deb --field "$each" Architecture)
  case "$(dpkg-deb --field "$each" Multi-Arch)" in same) name=$name:$machine ;; esac
  printf '%s\nStatus: install ok installed\n\n' "$(dpkg-deb --field "$each")" >> var/lib/dpkg/status
  dpkg-deb --fsys-tarfile "$each" | tar --list | sed 's|^\./|/|; s|^/$|/.|; s|/$||' > "var/lib/dpkg/info/$name.list"
done

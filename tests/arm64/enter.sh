#!/bin/bash
# enter.sh ROOT COMMAND...: run it in the root, in mounts and processes of its own, so that nothing outlives it
root=$1; shift
export root
exec unshare --mount --pid --fork --kill-child bash -c '
  set -e
  mount --make-rprivate /
  mount -t proc proc "$root/proc"
  mount --bind "$root/pi/cpuinfo" "$root/proc/cpuinfo"
  mount --rbind /dev "$root/dev"
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
    QEMU_CPU=cortex-a76 PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_DEFAULT_TIMEOUT=180 PIP_ROOT_USER_ACTION=ignore chroot "$root" "$@"' enter.sh "$@"

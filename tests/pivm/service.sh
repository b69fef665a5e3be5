#!/bin/bash
# `vitcam service` in a real systemd, with the real picamera2 on libcamera's virtual cameras, in an emulated machine:
#
#   tests/pivm/service.sh        takes about ten minutes; PIVM names pivm.sh, PIVM_DIR its folder
#
# The committed tree is installed from wheels, since the machine has no network, then upgraded to a version that fails.
set -euo pipefail
source "$(dirname "$0")/pack.sh"

cp -r "$work/tree" "$work/broken-tree"
echo '__version__ = "99.0"' > "$work/broken-tree/vitcam/_version.py"
cat >> "$work/broken-tree/vitcam/daemon/supervisor.py" <<'END'


def supervise(options: RunOptions, environ: Mapping[str, str]) -> None:
    raise VitcamError("version 99.0 fails on purpose")
END
"$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir "$work/broken" "$work/broken-tree"

"$PIVM" run --systemd --timeout "${PIVM_TIMEOUT:-2400}" --with "$work/wheels" --with "$work/broken" --with "$work/tree/tests" \
  tests/pivm/service_inside.sh

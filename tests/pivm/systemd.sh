#!/bin/bash
# The unit in a real systemd, with the real picamera2 on libcamera's virtual cameras, in an emulated machine:
#
#   tests/pivm/systemd.sh [MODEL.tflite]        takes about ten minutes; PIVM names pivm.sh, PIVM_DIR its folder
#
# The committed tree is installed as systemd/vitcam.service says, from wheels, since the machine has no network.
set -euo pipefail
source "$(dirname "$0")/pack.sh"

"$PIVM" run --systemd --timeout 1500 --with "$work/wheels" --with "$work/model.tflite" \
  --with systemd/vitcam.service --with "$work/tree/tests" tests/pivm/systemd_inside.sh

#!/bin/bash
# The sources and `vitcam run` with the real picamera2 on libcamera's virtual cameras, and with real V4L2 devices, in an
# emulated machine without a network:
#
#   tests/pivm/run.sh [MODEL.tflite [PART…]]    takes some ten minutes; PIVM names pivm.sh, PIVM_DIR its folder;
#                                               a PART is a function of run_inside.py, such as details
#
# What is tested is the committed tree. Nothing is timed: the machine is emulated. Exit status 0 if everything holds.
set -euo pipefail
source "$(dirname "$0")/pack.sh"

"$PIVM" run --timeout 1800 --with "$work/wheels" --with "$work/model.tflite" --with "$work/tree/tests" \
  "$work/tree/tests/pivm/run_inside.sh" "${@:2}"

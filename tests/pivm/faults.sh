#!/bin/bash
# Faults that need a whole machine: its clock, its devices, its memory, a process in state D. In an emulated machine:
#
#   tests/pivm/faults.sh [MODEL.tflite]        takes about ten minutes; PIVM names pivm.sh, PIVM_DIR its folder
#
# The committed tree is installed as systemd/vitcam.service says. Exit status 0 if everything holds.
set -euo pipefail
set -- "${1:-models/mnist.tflite}"
source "$(dirname "$0")/pack.sh"

truncate -s 16M "$work/frozen.img"
PATH=$PATH:/usr/sbin mkfs.ext4 -q "$work/frozen.img"
"$PIVM" run --systemd --timeout 2400 --with "$work/wheels" --with "$work/model.tflite" --with "$work/frozen.img" \
  --with systemd/vitcam.service --with "$work/tree/tests" tests/pivm/faults_inside.sh

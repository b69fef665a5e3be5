#!/bin/bash
# The unit in a real systemd, with the real picamera2 on libcamera's virtual cameras, in an emulated machine:
#
#   tests/pivm/systemd.sh [MODEL.tflite]        takes about ten minutes; PIVM names pivm.sh, PIVM_DIR its folder
#
# The committed tree is installed as systemd/vitcam.service says, from wheels, since the machine has no network.
set -euo pipefail
cd "$(dirname "$0")/../.."
PIVM=${PIVM:-../shared/tools/pivm/pivm.sh}
PYTHON=${PYTHON:-.venv/bin/python}
model=${1:-models/everyday.tflite}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/tree" "$work/wheels"
git archive HEAD | tar -x -C "$work/tree"
"$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir "$work/wheels" "$work/tree"
"$PYTHON" -m pip download --quiet --dest "$work/wheels" --only-binary :all: --python-version 3.13 \
  --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 aiohttp typer rich
cp "$model" "$work/model.tflite"
"$PIVM" run --systemd --timeout 1500 --with "$work/wheels" --with "$work/model.tflite" \
  --with systemd/vitcam.service tests/pivm/systemd_inside.py

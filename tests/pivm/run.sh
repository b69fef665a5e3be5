#!/bin/bash
# The sources and `vitcam run` with the real picamera2 on libcamera's virtual cameras, and with real V4L2 devices, in an
# emulated machine without a network:
#
#   tests/pivm/run.sh [MODEL.tflite]        takes some ten minutes; PIVM names pivm.sh, PIVM_DIR its folder
#
# What is tested is the committed tree. Nothing is timed: the machine is emulated. Exit status 0 if everything holds.
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
"$PIVM" run --timeout 1800 --with "$work/wheels" --with "$work/model.tflite" --with "$work/tree/tests" \
  "$work/tree/tests/pivm/run_inside.sh"

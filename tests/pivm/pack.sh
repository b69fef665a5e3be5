# Sourced by run.sh and systemd.sh: packs the committed tree into $work, as wheels since the machine has no network.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PIVM=${PIVM:-../shared/tools/pivm/pivm.sh}
PYTHON=${PYTHON:-.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/tree" "$work/wheels"
git archive HEAD | tar -x -C "$work/tree"
"$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir "$work/wheels" "$work/tree"
"$PYTHON" -m pip download --quiet --dest "$work/wheels" --only-binary :all: --python-version 3.13 \
  --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 aiohttp typer rich
cp "${1:-models/everyday.tflite}" "$work/model.tflite"

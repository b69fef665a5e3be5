# Sourced by run.sh and systemd.sh: packs the committed tree into $work, as wheels since the machine has no network.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PIVM=${PIVM:-../shared/tools/pivm/pivm.sh}
PYTHON=${PYTHON:-.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/tree" "$work/wheels"
git archive HEAD | tar -x -C "$work/tree"
"$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir "$work/wheels" "$work/tree"
# trixie's pip takes wheels for its glibc 2.41 and for every older one
platforms=(--platform manylinux2014_x86_64)
for minor in {17..41}; do platforms+=(--platform "manylinux_2_${minor}_x86_64"); done
"$PYTHON" "$work/tree/tests/pivm/requirements.py" 3.13 > "$work/requirements.txt"
"$PYTHON" -m pip download --quiet --dest "$work/wheels" --only-binary :all: --python-version 3.13 "${platforms[@]}" \
  --requirement "$work/requirements.txt"
cp "${1:-models/everyday.tflite}" "$work/model.tflite"

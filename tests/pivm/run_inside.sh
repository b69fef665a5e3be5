#!/bin/bash
# The first thing that `run.sh` runs in the machine, which has no network.
set -e
/opt/venv/bin/pip install --quiet --no-index --find-links /io/wheels vitcam
cd /io
exec /opt/venv/bin/python -u -m tests.pivm.run_inside "$@"

#!/bin/bash
# The first thing that `faults.sh` runs in the machine.
cd /io
exec /opt/venv/bin/python -u -m tests.pivm.faults_inside

#!/bin/bash
# The first thing that `first_hour.sh` runs in the machine.
cd /io
exec /opt/venv/bin/python -u -m tests.pivm.first_hour_inside

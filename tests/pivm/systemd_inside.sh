#!/bin/bash
# The first thing that `systemd.sh` runs in the machine.
cd /io
exec /opt/venv/bin/python -u -m tests.pivm.systemd_inside

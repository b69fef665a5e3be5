#!/bin/bash
# The first thing that `service.sh` runs in the machine.
cd /io
exec /opt/venv/bin/python -u -m tests.pivm.service_inside

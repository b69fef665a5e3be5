# `make run` and `make test` set up what they need in .venv; `make help` lists all targets.
# PYTHON=python3.13 takes another interpreter. ARGS="…" passes options on.
PYTHON ?= python3
PYTHON311 ?= python3.11
ARGS ?=
.DEFAULT_GOAL := help
# A file's tests share what they make, so a file stays in one process; in their own order, the long ones come early.
# Three processes on two cores, as many tests wait for a socket or a child. Two for `make test`, to save memory: a process
# grows to some 0.5 GB, and training a tiny network takes 1.1 GB for a while.
PROCESSES ?= 3
WORKERS = --numprocesses $(PROCESSES) --dist loadfile --no-loadscope-reorder
# Else each process compiles vitcam and its tests anew: 0.2 s of each start of the daemon, half of pytest's collection.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
DAEMON_VENV := $(VENV)/daemon-on-$(notdir $(PYTHON))
# setuptools warns at each editable installation of folders that are no danger here
PIP := PYTHONWARNINGS=ignore:Editable $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help run test test-long test-slow release-check packages test-packages deb release test-container coverage test-daemon test-versions test-install lint fuzz test-faults soak bench bench-peers test-peers test-home-assistant bench-aarch64 docs site measured clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z.][a-z0-9.-]*:.*## / { printf "make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/daemon: pyproject.toml
	@echo "Setting up $(VENV): about a minute"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade pip
	@$(PIP) --editable .
	@touch $@

$(VENV)/full: $(VENV)/daemon
	@echo "Setting up $(VENV) for tests and training: some minutes"
	@$(PIP) --editable ".[dev,train]"
	@mkdir -p $(VENV)/typing && ln -sfn ../../training $(VENV)/typing/vitcam_training
	@touch $@

.venv: $(VENV)/daemon  ## install the daemon into .venv, editable

run: $(VENV)/daemon  ## run the bundled model on the bundled clip
	$(BIN)/vitcam run --source demo --loop $(ARGS)

test: PROCESSES = 2
test: $(VENV)/full  ## run the unit tests and a smoke test of each part; ARGS=tests/unit/sources runs some
	$(BIN)/python -m pytest $(WORKERS) -m "not long and not slow" $(ARGS)

test-long: $(VENV)/full  ## run all other tests: whole programs, browsers, brokers, cameras, training; ARGS=tests/parts/mqtt/integration runs some
	$(BIN)/python -m pytest $(WORKERS) -m "long and not slow" $(ARGS)

# tests/slow_tier.py says how a change of the subject is known; ends well where nothing is due
test-slow: $(VENV)/full $(VENV)/cluster/ready  ## run the tests of minutes whose subject has changed; ARGS=--all-slow runs all of them
	$(BIN)/python -m pytest $(WORKERS) -m slow --due $(ARGS) || test $$? = 5

# what examples/cluster needs beside the daemon, which neither the daemon nor its developers do
$(VENV)/cluster/ready: pyproject.toml
	test -x $(VENV)/cluster/bin/python || $(PYTHON) -m venv $(VENV)/cluster
	$(VENV)/cluster/bin/python -m pip install --quiet --disable-pip-version-check --editable . \
		"dask>=2025.4" "distributed>=2025.4" "pyarrow>=19"
	touch $@

release-check: lint test test-long test-packages  ## check all that a release needs: every test, every measured page, the packages
	$(MAKE) test-slow ARGS=
	$(BIN)/python -m tests.deletion --start
	$(MAKE) site
	$(BIN)/python docs/measured.py --strict

# build and twine are no part of vitcam's own environment
$(VENV)/release/ready:
	$(PYTHON) -m venv $(VENV)/release
	$(VENV)/release/bin/python -m pip install --quiet --disable-pip-version-check "build>=1.2" "twine>=6"
	touch $@

packages: $(VENV)/release/ready  ## build wheel and source distribution into dist/, and check what they hold
	rm -f dist/*.whl dist/*.tar.gz
	$(VENV)/release/bin/python -m build --outdir dist
	$(VENV)/release/bin/python -m twine check --strict dist/*.whl dist/*.tar.gz
	$(PYTHON) tests/packaged.py contents dist

test-packages: packages  ## install both in clean environments of Python 3.11 and 3.13, and start the demo
	for version in 3.11 3.13; do .ci/with_python $$version sh -c '$$PYTHON tests/packaged.py run dist' || exit; done

# python -m deb.lock pins newer libraries. ARGS="--suite deb13 --machine arm64" makes one, --level 9 a smaller one
deb: $(VENV)/daemon  ## make Debian's packages for this processor, Debian 12 and 13, in dist/
	$(BIN)/python -m deb.build $(ARGS)

# ARGS="--key KEY" signs the apt folders and the checksums
release: packages $(VENV)/full  ## make all that a release publishes in dist/release/: packages of each kind, apt folders, checksums, licences
	$(BIN)/python -m deb.release $(ARGS)

# as root, with podman and mmdebstrap
test-container: $(VENV)/full  ## build the container of examples/container on a Debian without a registry, and run it
	$(BIN)/python -m tests.container $(ARGS)

test-faults: $(VENV)/full  ## inject faults that need a whole machine, emulated: the clock, devices, memory
	PYTHON=$(BIN)/python tests/pivm/faults.sh $(ARGS)

soak: $(VENV)/full  ## run for 30 minutes with hostile clients and a camera with faults; ARGS="--minutes 3"
	$(BIN)/python -m tests.soak $(ARGS)

# of what runs in the processes of the tests: some of their children may write no file
coverage: $(VENV)/full  ## run the tests and print which lines and branches they do not reach
	$(BIN)/python -m pytest $(WORKERS) -m "not slow" --cov --cov-report=term $(ARGS)

# The daemon alone on another Python, with the OpenCV and NumPy that it brings: make test-daemon PYTHON=python3.13
# A test that needs more than the daemon and the extra "test" lives in tests/training.
$(DAEMON_VENV)/ready: pyproject.toml
	test -x $(DAEMON_VENV)/bin/python || $(PYTHON) -m venv $(DAEMON_VENV)
	$(DAEMON_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(DAEMON_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@

test-daemon: $(DAEMON_VENV)/ready  ## run the daemon's tests on another Python: PYTHON=python3.13
	$(DAEMON_VENV)/bin/python -m pytest $(WORKERS) -m "not slow" --ignore tests/training $(ARGS)

# parts, pixels, numbers, processes, sockets; pages and whole programs are the same on each
VERSIONS := $(wildcard tests/parts) $(addprefix tests/,unit integration/history integration/pictures integration/sources integration/web/test_stream.py integration/web/test_uploads.py)
SAME_ON_EACH := --ignore tests/unit/docs --ignore-glob "tests/parts/*/integration/*" --ignore-glob "*/test_walk_*"
test-versions: $(DAEMON_VENV)/ready  ## run those of the daemon's tests that another Python, OpenCV or NumPy can change
	$(DAEMON_VENV)/bin/python -m pytest $(WORKERS) -m "not slow" $(SAME_ON_EACH) $(VERSIONS) $(ARGS)

# Debian's NumPy is the one that a Pi's picamera2 is built for: PYTHON=python3.11 or python3.13
test-install:  ## check that installing keeps Debian's NumPy
	$(PYTHON) tests/keeps_numpy.py

lint: $(VENV)/full  ## check format, style, types, import directions and what names a leaf; warn about words
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy -p vitcam -p vitcam_training
	$(BIN)/mypy tests examples deb
	$(BIN)/lint-imports
	$(BIN)/python docs/measured.py --check
	$(BIN)/python -m tests.house
	$(BIN)/python -m tests.wording

# the same seed makes the same inputs; make fuzz ARGS="pictures --count 500 --seed 7" takes one part
fuzz: $(VENV)/full  ## send 100,000 wrong requests, 10,000 pictures, 5,000 zips, 6,000 state files, 2,000 model files and configurations
	$(BIN)/python -m tests.fuzz $(ARGS)

bench: $(VENV)/full  ## measure the daemon; ARGS=throughput measures a part
	$(BIN)/python -m tests.bench $(ARGS)

# The peers weigh gigabytes and pin each other, so they live apart from the rest. What cannot be installed here becomes
# a row of the table that says why.
$(VENV)/peers/ready: pyproject.toml
	test -x $(VENV)/peers/bin/python || $(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[train]"
	$(VENV)/peers/bin/python -m tests.bench.peers.install
	touch $@

# the last release of tflite-runtime is for Python 3.11 and NumPy 1
$(VENV)/peers-tflite/ready:
	-$(PYTHON311) -m venv $(VENV)/peers-tflite && $(VENV)/peers-tflite/bin/python -m pip install --quiet \
		--disable-pip-version-check tflite-runtime==2.14.0 numpy==1.26.4 && touch $@

bench-peers: $(VENV)/peers/ready $(VENV)/peers-tflite/ready  ## measure other runtimes; writes docs/program/peers.md
	$(VENV)/peers/bin/python -m tests.bench.peers $(ARGS)

test-peers: $(VENV)/peers/ready  ## compare imported networks with their own libraries; writes docs/train/pretrained.md
	$(VENV)/peers/bin/python -m tests.bench.pretrained $(ARGS)

# What it needs is pinned in a file that it brings along. 880 MB; it runs on Python 3.13 only. What is imported is compiled
# then: all of it takes minutes. Its aiodns does not say that it cannot use pycares 5.
HOME_ASSISTANT := $(VENV)/home-assistant
HOME_ASSISTANT_PIP := $(HOME_ASSISTANT)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile
$(HOME_ASSISTANT)/ready:
	.ci/with_python 3.13 sh -c '$$PYTHON -m venv $(HOME_ASSISTANT)'
	$(HOME_ASSISTANT_PIP) --no-deps homeassistant==2025.4.4
	$(HOME_ASSISTANT_PIP) homeassistant==2025.4.4 home-assistant-frontend paho-mqtt av numpy "pycares<5" \
		pytest-homeassistant-custom-component==0.13.236 mypy pytest-timeout \
		--constraint $(HOME_ASSISTANT)/lib/python3.13/site-packages/homeassistant/package_constraints.txt
	touch $@

# its two halves: the integration where Home Assistant is imported, and a whole Home Assistant that is asked from outside;
# without ARGS also how much of the integration the tests reach, of which its quality scale wants 95 %
HOME_ASSISTANT_COVERAGE := --cov=custom_components.vitcam --cov-config=/dev/null --cov-report=term-missing:skip-covered --cov-fail-under=95
test-home-assistant: $(VENV)/full $(HOME_ASSISTANT)/ready  ## check the integration, and what a real Home Assistant makes of a camera
	cd examples/home-assistant && ../../$(HOME_ASSISTANT)/bin/python -m mypy --config-file= --strict -p custom_components.vitcam
	PYTHONPATH=examples/home-assistant $(HOME_ASSISTANT)/bin/python -m pytest -c tests/home_assistant/component/pytest.ini \
		tests/home_assistant/component $(or $(ARGS),$(HOME_ASSISTANT_COVERAGE))
	$(BIN)/python -m pytest -m slow tests/integration/home_assistant tests/parts/mqtt/integration/home_assistant $(ARGS)

# says which of Debian's packages it lacks
bench-aarch64: $(VENV)/peers/ready  ## count instructions on an emulated Raspberry Pi 5's processor
	$(VENV)/peers/bin/python -m tests.bench.aarch64 $(ARGS)

# what measurements write (docs/program/peers.md, training/study/quantisation/int8.md …) is made by the commands that these pages name
docs: $(VENV)/full  ## make the generated parts of docs/ and examples/, and the site
	$(BIN)/python docs/generate_settings.py
	$(BIN)/python docs/generate_cli.py
	$(BIN)/python docs/generate_layers.py
	$(BIN)/python docs/generate_threads.py
	$(BIN)/python docs/generate_parts.py
	$(BIN)/python docs/generate_http.py
	$(BIN)/python docs/generate_reliability.py
	$(BIN)/python docs/generate_concepts.py
	$(BIN)/python docs/generate_notebook.py
	$(MAKE) site

$(VENV)/site: $(VENV)/full
	$(PIP) --editable ".[docs]"
	touch $@

# docs/conf.py says how; loads nothing from a network
site: $(VENV)/site  ## build all pages as a site in build/site; a dead link is an error
	rm -rf build/site
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env -c docs . build/site

# ARGS=docs/train/graph.md, or ARGS="README.md --only evaluate"; docs/measured.json holds the commands of each page, and
# the models that each measured
measured: $(VENV)/full  ## list the pages with measured figures; ARGS=PAGE measures one anew
	$(BIN)/python docs/measured.py $(ARGS)

clean:  ## remove .venv and what tools have cached
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache

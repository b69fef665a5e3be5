# `make run` and `make test` are all the set-up there is. PYTHON=python3.13 picks another interpreter.
PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test lint bench clean

$(VENV)/daemon: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) --editable .
	touch $@

$(VENV)/full: $(VENV)/daemon
	$(PIP) --editable ".[dev,train]"
	mkdir -p $(VENV)/typing && ln -sfn ../../training $(VENV)/typing/vitcam_training
	touch $@

.venv: $(VENV)/daemon

run: $(VENV)/daemon
	$(BIN)/vitcam run --source demo --loop $(ARGS)

test: $(VENV)/full
	$(BIN)/python -m pytest $(ARGS)

lint: $(VENV)/full
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy -p vitcam -p vitcam_training
	$(BIN)/mypy tests examples
	$(BIN)/lint-imports

bench: $(VENV)/full
	$(BIN)/python -m tests.bench $(ARGS)

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .pytest_cache .ruff_cache

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
VENV ?= .venv
BIN := $(VENV)/bin
PYTHON ?= python3

export HF_HUB_OFFLINE ?= 1
export TOKENIZERS_PARALLELISM ?= false

.PHONY: up down test test-postgres check bench e2e

$(VENV)/.installed: pyproject.toml
	@echo "Setting up $(VENV) (a few minutes the first time)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -e '.[dev]' 2> $(VENV)/pip.err \
		| sed -unE 's/^Collecting ([^ ,;<>=!~]+).*/  \1/p; s/^Installing .*/  installing them all/p' \
		|| { cat $(VENV)/pip.err >&2; exit 1; }
	@$(BIN)/wellkept --help > /dev/null
	@touch $@

up: $(VENV)/.installed ## install, start the warm server, ask one request through the real hook
	@$(BIN)/wellkept demo --up

down: $(VENV)/.installed ## stop what make up started
	@$(BIN)/wellkept down

test: check ## checks and tests, under 12 minutes on 2 cores
	$(BIN)/python -m pytest -n 2 --dist loadgroup

ON_BOTH := tests/store tests/banks tests/proposals tests/exporters/test_transfer.py \
	tests/record/test_capture.py tests/record/test_hooks.py tests/record/test_sessions.py \
	tests/record/test_reading.py tests/routines/test_consolidating.py \
	tests/routines/test_consolidation_killed.py tests/routines/test_dream_window.py \
	tests/deployments/test_postgres.py

test-postgres: $(VENV)/.installed ## what stores something, on a PostgreSQL server of its own
	$(BIN)/python -m tests.postgres $(BIN)/python -m pytest -n 2 --dist loadgroup $(ON_BOTH)

check: $(VENV)/.installed ## format, lint, types, import arrows
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed ## speed and quality, side by side with a baseline
	$(BIN)/python -m benchmarks

e2e: $(VENV)/.installed ## the real processes and clients, slow
	$(BIN)/python -m pytest -m e2e --timeout=900

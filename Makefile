# Every target makes what it needs, from nothing but python3 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: setup test test-lowest test-newest test-outside lint format report bench docs clean
.DELETE_ON_ERROR:

setup: $(VENV)/.setup

# The stamps are newer than what they were made from, so nothing is installed twice.
$(VENV)/.setup: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --constraint constraints.txt --editable '.[gymnasium,jupyter]'
	@touch $@

$(VENV)/.test: $(VENV)/.setup
	$(PIP) install --constraint constraints.txt --editable '.[test]'
	@touch $@

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tests.docstrings

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# One BLAS thread a process: pytest already uses every core.
test bench: export OMP_NUM_THREADS = 1
test bench: export OPENBLAS_NUM_THREADS = 1

test: lint
	$(BIN)/pytest -n auto

# The wheel, away from the checkout, with the oldest versions that are declared, and with the newest there are.
# make test-newest PYTHON=python3.13; OUTSIDE=--all runs the whole suite there. test-outside is both, from one wheel.
test-lowest test-newest: test-%: $(VENV)/.test
	$(BIN)/python -m tests.outside $*:$(PYTHON) $(OUTSIDE)

test-outside: $(VENV)/.test
	$(BIN)/python -m tests.outside lowest newest:$(PYTHON) $(OUTSIDE)

# The quick profile, into reports/quick: what is committed in reports/ is of the full one.
report: $(VENV)/.setup
	$(BIN)/theory report

$(VENV)/.bench: $(VENV)/.test
	$(PIP) install --constraint constraints.txt --editable '.[bench]'
	@touch $@

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

$(VENV)/.docs: $(VENV)/.setup
	$(PIP) install --constraint constraints.txt --editable '.[docs]'
	@touch $@

# Warnings are errors: a dead link stops it.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build

clean:
	rm -rf $(VENV) build docs/_made docs/_build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

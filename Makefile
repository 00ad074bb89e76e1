# Everything a person needs: make demo, make test, make check, make docs; make bench and make bench-peers for figures.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-deep check docs bench bench-page bench-peers peers clean

$(STAMP): pyproject.toml constraints/dev.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mcpizer needs Python 3.11 or newer; try make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints/dev.txt -e '.[dev]'
	@touch $@

demo: $(STAMP)
	$(BIN)/mcpizer demo

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

test-deep: $(STAMP)
	$(BIN)/python -m mcpizer_conformance.selftest --jobs 2 --anew
	MCPIZER_DEEP=1 $(BIN)/python -m pytest -n 2 --timeout=1200 tests/property tests/integration/stores

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs

docs: $(STAMP)
	$(BIN)/python -m sphinx -q -W -b html docs build/docs
	@echo "open build/docs/index.html"

# How fast it is, on this machine: prints tables and writes build/bench.json; takes some minutes.
bench: $(STAMP)
	$(BIN)/python -m benchmarks --million --json build/bench.json

# The same, kept in the repository, and the page about it.
bench-page: bench
	cp build/bench.json benchmarks/results.json
	$(BIN)/python -m benchmarks.page

# Installs other engines and gateways under build/peers, and runs ours beside them; see benchmarks/peers.
bench-peers: $(STAMP)
	$(BIN)/python -m benchmarks.peers $(ARGS)

# Installs packages that are not ours under build/peers, asks them the laws of names, and writes docs/reference/peers.md.
peers: $(STAMP)
	$(BIN)/python -m benchmarks.peers.names $(ARGS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .hypothesis

# Everything a fresh Debian machine with Python and git needs is set up by the targets themselves.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
INSTALLED := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest -n auto --dist loadgroup

.PHONY: help demo test lint types tests oracle bench eval docs soak cases record clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

$(STAMP): pyproject.toml constraints.txt
	@tools/bootstrap $(PYTHON) $(VENV)
	@touch $(STAMP)

# what users get, compiled: the tests run what is in src/ as well
$(INSTALLED): $(STAMP) hatch_build.py $(shell find src -type f -not -name '*.pyc')
	@tools/install $(VENV)
	@touch $(INSTALLED)

demo: $(INSTALLED) ## run the main job on bundled samples
	@tools/demo $(BIN)/deadheat

test: $(STAMP) ## lint, types and all tests
	@$(MAKE) --no-print-directory -j2 lint types $(INSTALLED)
	@$(MAKE) --no-print-directory tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

# hundreds of processes import the same files: what one has compiled, the next one need not
tests: export PYTHONDONTWRITEBYTECODE :=
tests: $(INSTALLED)
	@tools/chromium
	$(PYTEST) -m "not long or twice" --cov --cov-report=term:skip-covered
	DEADHEAT_INSTALLED=1 $(PYTEST) -m "long or twice" $$(grep -lE 'mark\.(long|twice)' tests/test_*.py)

cases: $(STAMP) ## rewrite the expected side of every golden case; read the diff
	$(BIN)/python -m pytest tests/test_cases.py --rewrite

bench: $(INSTALLED) ## speed and memory, as ratios in one run
	$(BIN)/python -m bench
	$(BIN)/python -m bench.grouping
	$(BIN)/python -m bench.spark

eval: $(INSTALLED) ## how well races keep their identity and how often a diagnosis is right; writes docs/explanation/{identity,diagnosis}.md
	$(BIN)/python -m eval
	$(BIN)/python -m eval.causes
	$(BIN)/python -m eval.blind --write

oracle: $(INSTALLED) ## compare the output for all recorded reports with that of the last release
	$(BIN)/python tools/oracle.py

docs: $(STAMP) ## generate the pages and outputs that come from the code, then build the site into site/
	$(BIN)/python tools/docs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

soak: $(INSTALLED) ## long runs: damage over the whole corpus, hostile input, 5 GB and 500 MB lines
	$(BIN)/python -m bench.soak
	$(BIN)/python -m bench.kills

record: $(STAMP) ## record the corpus again with every toolchain and detector that is here
	$(BIN)/python -m corpus.record_go
	$(BIN)/python -m corpus.record_variants
	$(BIN)/python -m corpus.record_c

clean: ## remove what the targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage build site

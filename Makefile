# The targets set up everything that they need on a new Debian machine with Python and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
FUZZ_SECONDS ?= 600
STAMP := $(VENV)/.ready
INSTALLED := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest -n auto --dist loadgroup

.PHONY: help demo test lint types tests oracle bench eval train docs fuzz soak cases record screenshots clean
.DEFAULT_GOAL := help

help: ## print this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

$(STAMP): pyproject.toml constraints.txt
	@tools/bootstrap $(PYTHON) $(VENV)
	@touch $(STAMP)

# the compiled package that users get; the tests also run the code in src/
$(INSTALLED): $(STAMP) hatch_build.py $(shell find src -type f -not -name '*.pyc')
	@tools/install $(VENV)
	@touch $(INSTALLED)

demo: $(STAMP) ## scan and ingest the bundled samples
	@PYTHONPATH=src tools/demo $(BIN)/deadheat

test: $(STAMP) ## run ruff, mypy and all tests
	@$(MAKE) --no-print-directory -j2 lint types $(INSTALLED)
	@$(MAKE) --no-print-directory tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

# hundreds of processes import the same files: let them share the byte code
tests: export PYTHONDONTWRITEBYTECODE :=
tests: $(INSTALLED)
	@tools/chromium
	@tools/postgres
	$(PYTEST) -m "(not long or compiled_too) and not soak" --cov --cov-report=term:skip-covered
	DEADHEAT_INSTALLED=1 $(PYTEST) -m "(long or compiled_too) and not soak" $$(grep -lE 'mark\.(long|compiled_too)' tests/test_*.py)

cases: $(STAMP) ## rewrite the expected output of every golden case; review the diff
	$(BIN)/python -m pytest tests/test_cases.py --rewrite

bench: $(INSTALLED) ## measure speed and memory
	$(BIN)/python -m bench
	$(BIN)/python -m bench.grouping
	$(BIN)/python -m bench.spark

eval: $(INSTALLED) ## measure grouping and diagnosis; writes docs/explanation/identity.md
	$(BIN)/python -m eval
	PYTHONPATH=src $(BIN)/python -m eval.train --dry

train: $(STAMP) ## train the weights of the diagnosis from the recorded corpus and the learnt real races
	PYTHONPATH=src $(BIN)/python -m eval.train

oracle: $(INSTALLED) ## compare the output for all recorded reports with that of the last release
	$(BIN)/python tools/oracle.py

docs: $(STAMP) ## generate the pages and outputs that come from the code, then build the site into site/
	$(BIN)/python tools/docs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

fuzz: $(STAMP) ## fuzz all that reads untrusted input for FUZZ_SECONDS; FUZZ_TARGETS selects targets
	PYTHONPATH=src $(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

soak: $(INSTALLED) ## long runs: 5 GiB of logs, a 500 MiB line, hostile and damaged text, killed ingests, verified fixes
	$(BIN)/python -m bench.soak
	$(BIN)/python -m bench.killed_ingest
	$(BIN)/python -m bench.killed_ingest --watch
	@tools/postgres
	$(PYTEST) -m soak

record: $(STAMP) ## record the corpus again with every installed toolchain and detector
	$(BIN)/python -m corpus.record_go
	$(BIN)/python -m corpus.record_variants
	$(BIN)/python -m corpus.record_c

screenshots: $(STAMP) ## make the pictures of the HTML pages in docs/images
	@tools/chromium
	PYTHONPATH=src:. $(BIN)/python tools/screenshots.py

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .fuzz .coverage build site

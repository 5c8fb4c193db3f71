# Two commands on a fresh machine: `make run` and `make test`. Needs Python 3.11+, make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= examples/handbook/.kprep
KPREP := $(BIN)/kprep
HANDBOOK := --kb examples/handbook --data-dir $(DATA)
CODE := kprep sources parsers cleaning redaction chunking enrichment embedding quality publish retrieval flows migrations \
	infra examples benchmarks tests
export DO_NOT_TRACK := 1
export ORT_DISABLE_TELEMETRY := 1

.PHONY: help run test test-fast test-speech chaos hostile check format lock schema docs bench quality clean install install-dev

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kprep needs Python 3.11 or later; name one: make run PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements/base.txt requirements/build.txt | $(VENV)/bin/python
	@echo "installing kprep into $(VENV) (once; some two minutes)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r requirements/build.txt -r requirements/base.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.installed-dev: requirements/dev.txt $(VENV)/.installed
	@echo "installing what tests and checks need (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.installed-speech: requirements/speech.txt $(VENV)/.installed-dev
	@echo "installing what recordings need (once; some 350 MB)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/speech.txt
	@touch $@

run: install ## the main job on examples/handbook, then three searches
	$(KPREP) run $(HANDBOOK)
	@echo
	$(KPREP) search "How long does a refund take?" --top-k 2 $(HANDBOOK)
	@echo
	$(KPREP) search "ERR_CONN_1045" --as engineering --top-k 2 $(HANDBOOK)
	@echo
	$(KPREP) search "What is the daily travel allowance?" --as all-employees --top-k 2 $(HANDBOOK)

test: install-dev ## all tests
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

test-fast: install-dev ## the tests without database, flows and packaging
	$(BIN)/pytest -n 2 tests/unit tests/property

test-speech: $(VENV)/.installed-speech ## the tests of recordings; installs the extra `speech` and a voice
	$(BIN)/pytest -n 2 tests/unit/parsers/test_recordings.py tests/unit/parsers/test_golden.py tests/store/test_recordings.py

check: install-dev ## format, lint, types, import contracts, generated docs, lock file, requirement ids
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports --no-cache
	$(BIN)/cog --check README.md docs/reference/cli.md
	$(BIN)/python infra/check_lock.py
	$(BIN)/python infra/check_requirements.py

format: install-dev ## format and repair what can be repaired
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

docs: install-dev ## write the generated parts of the documentation
	$(BIN)/cog -r README.md docs/reference/cli.md

schema: install-dev ## write migrations/schema.sql from the migrations
	$(BIN)/python infra/write_schema.py

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
lock: install-dev ## resolve dependencies anew; no index address is written
	$(LOCK) pyproject.toml -o requirements/base.txt
	$(LOCK) pyproject.toml --extra dev -o requirements/dev.txt
	$(LOCK) pyproject.toml requirements/speech.in --extra speech -c requirements/dev.txt -o requirements/speech.txt
	$(LOCK) pyproject.toml --extra ocr -c requirements/dev.txt -o requirements/ocr.txt
	$(LOCK) pyproject.toml --extra multilingual -c requirements/dev.txt -o requirements/multilingual.txt
	$(LOCK) requirements/build.in -o requirements/build.txt

bench: install-dev ## figures; open test sets are read from KPREP_SETS (default ../shared/data)
	$(BIN)/python benchmarks/parsing.py
	$(BIN)/python benchmarks/parse_speed.py
	$(BIN)/python -m benchmarks.encodings
	$(BIN)/python benchmarks/redaction.py --megabytes 100
	$(BIN)/python -m benchmarks.chunking
	$(BIN)/python -m benchmarks.mutations
	$(BIN)/python -m benchmarks.retrieval --chunks 100000 300000
	$(BIN)/python -m benchmarks.question_sets
	$(BIN)/python -m benchmarks.speech
	$(BIN)/python -m benchmarks.ocr
	$(BIN)/python -m benchmarks.history
	$(BIN)/python -m benchmarks.rebuilding
	$(BIN)/python -m benchmarks.scale --documents 1000 2000 --vectors
	$(BIN)/python -m benchmarks.scale --documents 1000 100000 --copies

quality: install-dev ## write docs/quality by the benchmarks; sets are read from KPREP_SETS
	$(BIN)/python benchmarks/parsing.py --write
	$(BIN)/python benchmarks/cleaning.py --write
	$(BIN)/python benchmarks/redaction.py --write --megabytes 100
	$(BIN)/python -m benchmarks.chunking --write
	$(BIN)/python -m benchmarks.mutations --write
	$(BIN)/python -m benchmarks.retrieval --chunks 100000 300000 --write
	$(BIN)/python -m benchmarks.question_sets --write

chaos: install-dev ## runs and PostgreSQL killed at random moments: CHAOS kills of runs (200), CHAOS_SERVER of the server (30)
	CHAOS=$(or $(CHAOS),200) $(BIN)/pytest tests/chaos -s -o timeout=36000

hostile: install-dev ## 300 hostile or broken files, parsed and then run among good ones
	$(BIN)/python tests/unit/parsers/hostile_files.py
	HOSTILE_SAMPLE=1 $(BIN)/pytest tests/flows/test_formats.py -s -k hostile -o timeout=3600

clean: ## remove the environment and the example's data
	rm -rf $(VENV) $(DATA)

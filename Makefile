# make run                     the whole chain on the sample corpus, from nothing
# make run CORPUS=path         the same on any folder with a corpus.toml
# make run CONFIG=my.toml      the same with any settings file (docs/configuration.md)
# make ui                      the same graph in Dagster, on 127.0.0.1
# make promote AUTHOR=.. REASON=..   accept the last evaluation of the same CORPUS, PROFILE or CONFIG
# make docs                    the documentation site, in docs/_build/index.html
# make check security test     what CI runs, the first two side by side
PYTHON ?= python3
PORT ?= 3000
# abspath would split a path with spaces
absolute = $(if $(filter /%,$(1)),$(1),$(CURDIR)/$(1))
ifdef CORPUS
PROFILE ?= folder
export CLINRAG_CORPUS := $(call absolute,$(CORPUS))
else
PROFILE ?= sample
endif
ifdef CONFIG
export CLINRAG_CONFIG := $(call absolute,$(CONFIG))
endif
ifndef CLINRAG_CONFIG
CLINRAG_HOME ?= $(CURDIR)/.clinrag
export CLINRAG_HOME
export CLINRAG_PROFILE := $(PROFILE)
endif
export DAGSTER_DISABLE_TELEMETRY := 1
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
# pip compiles on one core; some packages hold templates that are no Python.
COMPILE := $(BIN)/python -m compileall -qq -j 0 .venv/lib

.DEFAULT_GOAL := help
.PHONY: help install run promote ui docs test test-all check types lint security format sample

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

.venv/installed: pyproject.toml constraints.txt
	@echo "installing clinrag into .venv (first time: about two minutes)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) "torch==2.13.0"
	@$(PIP) -e .
	-@$(COMPILE)
	@touch $@

.venv/installed-dev: .venv/installed
	@$(PIP) -e ".[dev]"
	-@$(COMPILE)
	@touch $@

.venv/installed-docs: .venv/installed
	@$(PIP) -e ".[docs]"
	-@$(COMPILE)
	@touch $@

install: .venv/installed

run: .venv/installed
	@$(BIN)/python -m clinrag_dagster.run

promote: .venv/installed
	@$(BIN)/python -m clinrag_dagster.promote --author "$(AUTHOR)" --reason "$(REASON)" $(if $(ACCEPT_LOSS),--accept-loss)

ui: .venv/installed
	@$(BIN)/python -m clinrag_dagster.ui --port $(PORT)

docs: .venv/installed-docs
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build
	@echo "docs/_build/index.html"

test: .venv/installed-dev
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder

test-all: .venv/installed-dev
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "" --hypothesis-profile=search

check: types lint

types: .venv/installed-dev
	@$(BIN)/pyright --threads 2

lint: .venv/installed-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports
	@$(BIN)/deptry .
	@$(BIN)/dg check defs
	@$(BIN)/dagster definitions validate -w workspace.yaml

# bandit reads the code; pip-audit asks a database of vulnerabilities and is skipped where it cannot.
security: .venv/installed-dev
	@$(BIN)/bandit --quiet --severity-level medium --recursive --configfile pyproject.toml clinrag_core clinrag_dagster
	@$(BIN)/python .ci/audit_packages.py

format: .venv/installed-dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

sample: .venv/installed-dev
	@$(BIN)/python data/corpora/sample/build_pdfs.py
	@$(BIN)/python data/corpora/sample/build_labels.py

# make         set up .venv, run the default pipeline, print a summary
# make paper   the same at the paper's own scale, on 300 datasets (suite registry300)
# make verify  compare your results with the published ones (docs/verify.md)
# make report  the default pipeline, but only up to the page: results/SUITE/report.html
# make test    install the test tools and run all tests; test-fast: the unit tests, in two minutes
# make setup   set up .venv only; setup-dev: with the test tools; setup-slurm: for a Slurm cluster (docs/clusters.md)
# make check   check formatting, types, lint and import rules
# make bench   compare the speed with a lower bound; bench-peers: with other packages, each in its own venv
# make lock    update the lock files in envs/
# make clean   remove results, logs and Snakemake's records (keeps data/ with its downloads, and figures/)
PYTHON ?= python3
CORES ?= all
export PYTHON

BIN := .venv/bin
PACKAGE := envs/setup.sh envs/uv.txt pyproject.toml
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

# Keep what is installed: the lock files of the test tools and of Slurm include the packages of a run.
INSTALLED := $(firstword $(wildcard .venv/installed-dev .venv/installed-slurm) .venv/installed-base)

.PHONY: run paper verify report setup setup-dev setup-slurm test test-fast check bench bench-peers lock clean
.DEFAULT_GOAL := run

run: setup
	@$(BIN)/snakemake --cores $(CORES) --quiet host rules reason
	@$(BIN)/python scripts/summarise.py

paper: setup
	@$(BIN)/snakemake --cores $(CORES) --quiet host rules reason --config suite=registry300
	@$(BIN)/python scripts/summarise.py

verify: setup
	@$(BIN)/balanced-bandits verify

report: setup
	@$(BIN)/snakemake --cores $(CORES) --quiet host rules reason -- page

setup: $(INSTALLED)

setup-dev: .venv/installed-dev

setup-slurm: .venv/installed-slurm

.venv/installed-%: envs/%.txt $(PACKAGE)
	@sh envs/setup.sh $*

# Tests that mostly wait (for Slurm) run in parallel with the others; their output is printed at the end.
test: setup-dev
	@$(BIN)/python -m pytest -m waits > .waits.log 2>&1 & waiting=$$!; \
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not waits"; others=$$?; \
	wait $$waiting; waited=$$?; cat .waits.log; rm -f .waits.log; \
	[ $$others = 0 ] && [ $$waited = 0 ]

test-fast: setup-dev
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile tests/unit balanced_bandits

check: setup-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/python -m pytest -q tests/unit/test_architecture.py

bench: setup-dev
	@$(BIN)/python benchmarks/speed.py

bench-peers: setup-dev
	@$(BIN)/python benchmarks/peers.py

lock: setup
	$(COMPILE) --upgrade envs/uv.in -o envs/uv.txt
	$(COMPILE) --upgrade envs/requirements.in -o envs/base.txt
	$(COMPILE) --upgrade -c envs/base.txt envs/dev.in -o envs/dev.txt
	$(COMPILE) --upgrade -c envs/base.txt envs/slurm.in -o envs/slurm.txt

clean:
	rm -rf results logs .snakemake

# make         set up .venv, run the default pipeline, say what was drawn
# make report  the same, for the page alone: results/SUITE/report.html
# make test    set up the test tools as well, run all tests
# make setup   set up .venv and no more; setup-dev: with the test tools; setup-slurm: for a Slurm cluster
#              (docs/clusters.md)
# make check   formatting, types and lint
# make bench   speed against the floor; make bench-peers: against other packages, each in a venv of its own
# make lock    renew the locks in envs/
# make clean   remove results, logs and Snakemake's records (data/ with its downloads and figures/ stay)
PYTHON ?= python3
CORES ?= all
export PYTHON

BIN := .venv/bin
PACKAGE := envs/setup.sh envs/uv.txt pyproject.toml
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

# What is installed is kept: the locks of the test tools and of Slurm hold the run's packages too.
INSTALLED := $(firstword $(wildcard .venv/installed-dev .venv/installed-slurm) .venv/installed-base)

.PHONY: run report setup setup-dev setup-slurm test check bench bench-peers lock clean
.DEFAULT_GOAL := run

run: setup
	@$(BIN)/snakemake --cores $(CORES) --quiet host rules reason
	@$(BIN)/python scripts/summarise.py

report: setup
	@$(BIN)/snakemake --cores $(CORES) --quiet host rules reason -- page

setup: $(INSTALLED)

setup-dev: .venv/installed-dev

setup-slurm: .venv/installed-slurm

.venv/installed-%: envs/%.txt $(PACKAGE)
	@sh envs/setup.sh $*

test: setup-dev
	@$(BIN)/python -m pytest -n 2 --dist loadfile

check: setup-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

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

# make         set up .venv, run the default pipeline, say what was drawn
# make report  the same, for the page alone: results/SUITE/report.html
# make test    set up the test tools as well, run all tests
# make check   formatting, types and lint
# make bench   speed against the floor; make bench-peers: against other packages, each in a venv of its own
# make lock    renew the locks in envs/
# make clean   remove what the pipeline made (data/ with its downloads stays)
PYTHON ?= python3
CORES ?= all
export PYTHON

BIN := .venv/bin
PACKAGE := envs/setup.sh envs/uv.txt pyproject.toml
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

.PHONY: run report setup setup-dev test check bench bench-peers lock clean
.DEFAULT_GOAL := run

run: setup
	@$(BIN)/snakemake --cores $(CORES) --quiet host rules reason
	@$(BIN)/python scripts/summarise.py

report: setup
	@$(BIN)/snakemake --cores $(CORES) --quiet host rules reason -- page

# The test tools' lock holds the run's packages too, so either installation will do for a run.
setup:
	@if [ ! -e .venv/installed-dev ]; then $(MAKE) -s --no-print-directory .venv/installed-base; \
	else $(MAKE) -s --no-print-directory .venv/installed-dev; fi

setup-dev: .venv/installed-dev

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

clean:
	rm -rf results logs .snakemake

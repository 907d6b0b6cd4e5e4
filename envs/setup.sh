#!/bin/sh
# Create .venv, install one of the lock files of this folder into it, then the package itself.
#   envs/setup.sh base|dev|slurm   ($PYTHON: the base interpreter, by default python3)
# On failure, prints one sentence on standard error; the details are in .venv.log.
set -u
lock=$1
python=${PYTHON:-python3}
cd "$(dirname "$0")/.." || exit 1
log=$PWD/.venv.log
: >"$log"

stop() {
    echo "set-up stopped: $*" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    stop "$python was not found; install Python 3.11 or newer, or choose one with 'make PYTHON=/path/to/python3'."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>>"$log" ||
    stop "$python is $("$python" -V 2>&1), but Python 3.11 or newer is required; choose one with 'make PYTHON=/path/to/python3'."
"$python" -c 'import venv, ensurepip' 2>>"$log" ||
    stop "$python has no venv module; install it (on Debian: apt install python3-venv) and run make again."

# Recreate a .venv whose interpreter is gone (after moving the folder or upgrading the system).
if ! .venv/bin/python -c '' 2>/dev/null; then
    echo "set-up: creating .venv with $("$python" -V)"
    rm -rf .venv
    "$python" -m venv .venv >>"$log" 2>&1 || stop "$python -m venv failed; see .venv.log."
fi

offline="could not install the packages of envs/$lock.txt; check that PyPI or a mirror of it is reachable, and see the last lines of .venv.log."
echo "set-up: installing the packages of envs/$lock.txt"
.venv/bin/python -m pip install --disable-pip-version-check --no-deps --require-hashes \
    -r envs/uv.txt >>"$log" 2>&1 || stop "$offline"
.venv/bin/uv pip sync --python .venv/bin/python --require-hashes --compile-bytecode \
    "envs/$lock.txt" >>"$log" 2>&1 || stop "$offline"
.venv/bin/uv pip install --python .venv/bin/python --no-deps --no-build-isolation --offline \
    -e . >>"$log" 2>&1 || stop "could not install this package into .venv; see .venv.log."
# Each lock file replaces the previous one.
rm -f .venv/installed-*
touch ".venv/installed-$lock"

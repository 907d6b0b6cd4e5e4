#!/bin/sh
# Make .venv and install one of the locks of this folder into it, then the package itself.
#   envs/setup.sh base|dev|slurm   ($PYTHON: the interpreter to build on, python3 if not given)
# Ends in one sentence on standard error when it can't; details are in .venv.log.
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
    stop "there is no $python here; install Python 3.11 or newer, or name one with 'make PYTHON=/path/to/python3'."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>>"$log" ||
    stop "$python is $("$python" -V 2>&1), and Python 3.11 or newer is needed; name one with 'make PYTHON=/path/to/python3'."
"$python" -c 'import venv, ensurepip' 2>>"$log" ||
    stop "$python comes without venv; install it (on Debian: apt install python3-venv) and call make again."

# A .venv whose interpreter is gone (a moved folder, an upgraded system) is made anew.
if ! .venv/bin/python -c '' 2>/dev/null; then
    echo "set-up: making .venv with $("$python" -V)"
    rm -rf .venv
    "$python" -m venv .venv >>"$log" 2>&1 || stop "$python -m venv failed; see .venv.log."
fi

offline="could not install the packages of envs/$lock.txt; is the package registry reachable from here? The last lines of .venv.log say more."
echo "set-up: installing the packages of envs/$lock.txt"
.venv/bin/python -m pip install --disable-pip-version-check --no-deps --require-hashes \
    -r envs/uv.txt >>"$log" 2>&1 || stop "$offline"
.venv/bin/uv pip sync --python .venv/bin/python --require-hashes --compile-bytecode \
    "envs/$lock.txt" >>"$log" 2>&1 || stop "$offline"
.venv/bin/uv pip install --python .venv/bin/python --no-deps --no-build-isolation --offline \
    -e . >>"$log" 2>&1 || stop "could not install this package into .venv; see .venv.log."
# Each lock takes the place of the one before.
rm -f .venv/installed-*
touch ".venv/installed-$lock"

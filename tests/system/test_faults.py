"""Runs that are disturbed: each ends with a sentence and nothing half-written, and the next one as if nothing had been.

Of the whole list of faults, test_run.py has the death of everything at once and two runs in one folder; test_openml.py,
test_openml_run.py and test_sources.py have those of servers and of what lies in the caches; test_files.py has a writer
that is killed while it writes.
"""

import os
import shlex
import shutil
import signal
import subprocess
import time

import pytest
from conftest import Workspace

pytestmark = pytest.mark.system

RUN = "results/tiny/runs/ant/LinTS.npz"
ENCODED = "data/tiny/ant.npz"
RAW = "data/tiny/raw/ant"
FUTURE, PAST = 4_000_000_000, 400_000_000  # 2096 and 1982


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A workspace in which LinTS has played one dataset, undisturbed."""
    workspace = Workspace(tmp_path_factory.mktemp("undisturbed"))
    workspace.rows = {"ant": workspace.rows["ant"]}
    workspace.write_suite()
    workspace.snakemake(RUN)
    return workspace


@pytest.fixture
def fresh(done, tmp_path):
    """A copy of it, to be disturbed."""
    shutil.copytree(done.folder, tmp_path, dirs_exist_ok=True, symlinks=True)
    copy = Workspace.__new__(Workspace)
    copy.folder, copy.home, copy.rows, copy.config, copy.families = tmp_path, done.home, done.rows, done.config, {}
    return copy


def simulations(workspace):
    """Ids of the processes that play a dataset of this workspace."""
    found = []
    for process in os.scandir("/proc"):
        try:
            command = open(f"{process.path}/cmdline", "rb").read().split(b"\0")  # noqa: SIM115
            here = os.readlink(f"{process.path}/cwd") == str(workspace.folder)
        except OSError:  # it ended meanwhile, or is no process
            continue
        if here and command[0].endswith(b"python") and b"simulate_classification.py" in command[1]:
            found.append(int(process.name))
    return found


def wait_for(condition, what, seconds=240):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, what
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("victim", ["the simulation", "the scheduler"])
def test_what_is_killed_is_done_again_with_the_same_bytes(done, fresh, victim):
    (fresh.folder / RUN).unlink()
    run = fresh.start(RUN)
    try:
        (simulation,) = wait_for(lambda: simulations(fresh), "no simulation was started")
        os.kill(run.pid if victim == "the scheduler" else simulation, signal.SIGKILL)
        assert run.wait(timeout=240) != 0
        if victim == "the simulation":
            assert "LinTS plays ant" in (fresh.folder / "started.log").read_text()
            assert RUN not in fresh.products()
        # At once: a simulation that outlived its scheduler may still be at work.
        fresh.snakemake(RUN)
        assert fresh.products() == done.products()
        wait_for(lambda: not simulations(fresh), "a simulation does not end")
        assert fresh.products() == done.products()
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)


def in_mounts_of_its_own(workspace, *script):
    """Run shell commands that may mount in the workspace; the mounts are gone when they end. ``$RUN`` is a run."""
    command = shlex.join(workspace.command(RUN))
    lines = ["set -e", *script]
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", "\n".join(lines)], cwd=workspace.folder,
        env=workspace.environment | {"RUN": command}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def mounting_works():
    tried = ["unshare", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs -o size=4k tmpfs /mnt"]
    return (
        shutil.which("unshare") is not None and subprocess.run(tried, capture_output=True, check=False).returncode == 0
    )


needs_mounts = pytest.mark.skipif(not mounting_works(), reason="no leave to mount in a namespace (unshare --mount)")


@needs_mounts
def test_a_full_disk_is_named_and_leaves_nothing_half_written(done, fresh):
    shutil.rmtree(fresh.folder / "results")
    (fresh.folder / "results").mkdir()
    code, output = in_mounts_of_its_own(
        fresh,
        "mount -t tmpfs -o size=4k tmpfs results",  # the archive of a run takes more than one page
        "head -c 2000 /dev/zero > results/other",
        "if sh -c \"$RUN\"; then echo 'it fitted'; exit 1; fi",
        "echo left: $(find results -type f)",
        "rm results/other; mount -o remount,size=1m results",
        'sh -c "$RUN"',
        "cp -r results kept",
    )
    assert code == 0, output
    said = "can't be written (No space left on device); free some space or fix the permissions, and run again."
    assert f"error: {RUN} {said}" in output
    assert "left: results/other\n" in output
    assert "Traceback" not in output
    assert (fresh.folder / "kept/tiny/runs/ant/LinTS.npz").read_bytes() == (done.folder / RUN).read_bytes()


@needs_mounts
def test_a_folder_of_data_that_is_read_only_can_be_played_from_but_not_added_to(done, fresh):
    (fresh.folder / RUN).unlink()
    read_only = "mount --bind data data; mount -o remount,ro,bind data"
    code, output = in_mounts_of_its_own(fresh, read_only, 'sh -c "$RUN"')
    assert code == 0, output
    assert fresh.products() == done.products()
    for name in (ENCODED, RUN):
        (fresh.folder / name).unlink()
    code, output = in_mounts_of_its_own(fresh, read_only, 'sh -c "$RUN"')
    assert code != 0
    assert f"Read-only file system: '{ENCODED}'" in output  # Snakemake says it, before the job starts
    assert ENCODED not in fresh.products()
    fresh.snakemake(RUN)
    assert fresh.products() == done.products()


def flip(path):
    """Change one bit in the middle of a file, as a disk does: its time stays as it was."""
    content, times = bytearray(path.read_bytes()), path.stat()
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def cut(path):
    """Take away the end of a file, as a disk does."""
    content, times = path.read_bytes(), path.stat()
    path.write_bytes(content[: len(content) // 2])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(("spoil", "spoilt", "made_of_it"), [(flip, RAW, ENCODED), (cut, ENCODED, RUN)])
def test_a_file_that_the_disk_spoilt_is_named_and_made_anew_once_it_is_deleted(done, fresh, spoil, spoilt, made_of_it):
    spoil(fresh.folder / spoilt)
    (fresh.folder / made_of_it).unlink()
    output = fresh.snakemake(made_of_it, fails=True)
    assert spoilt in output
    assert "delete it and run again" in output
    assert "Traceback" not in output
    assert made_of_it not in fresh.products()
    (fresh.folder / spoilt).unlink()
    fresh.snakemake(made_of_it)
    assert fresh.products() == done.products()


def test_a_clock_that_was_wrong_makes_no_other_results(done, fresh):
    """Files from the future beside files from the past: the run ends, and the one after it has nothing to do."""
    for name, stamp in (("ant.csv", FUTURE), (RAW, PAST), (ENCODED, FUTURE), (RUN, PAST)):
        os.utime(fresh.folder / name, (stamp, stamp))
    fresh.snakemake(RUN)
    assert fresh.products() == done.products()
    assert fresh.plan(RUN) == []


def test_with_strict_a_dataset_that_cannot_be_played_stops_the_run_before_it_plays(fresh):
    fresh.rows = dict(fresh.rows)
    fresh.add_dataset("dull", 9, labels=["same"] * 60)
    fresh.write_suite()
    table = "results/tiny/classification.parquet"
    shutil.rmtree(fresh.folder / "results")
    output = fresh.snakemake("--config", "strict=true", "--", table, fails=True)
    assert (
        "error: strict is set, but some datasets can't be played:\n  dull: all rows are of one class, 'same'" in output
    )
    assert not list(fresh.folder.glob("results/tiny/runs/*/*.npz"))
    assert "Checking that all datasets can be played" not in fresh.plan(table)


def test_strict_makes_no_run_stale(fresh):
    assert fresh.plan("--config", "strict=true", "--", RUN) == []

"""The table of failed attempts, from messages as Snakemake sends them."""

import csv
import logging
from types import SimpleNamespace

import pytest

from balanced_bandits.plan.failures import COLUMNS, FailureTable


@pytest.fixture
def table(tmp_path):
    return FailureTable(tmp_path / "logs/failed_attempts.csv")


def send(table, event, **facts):
    record = logging.makeLogRecord({"msg": "Error", "event": SimpleNamespace(value=event), **facts})
    table.handle(record)


def rows(table):
    with open(table.path, newline="") as file:
        return list(csv.DictReader(file))


def job(name, **facts):
    return {"rule_name": "encode", "rule_msg": None, "output": [name], "log": [f"{name}.log"], "indent": False} | facts


def test_a_job_alone_is_named_with_the_executors_reason(table):
    send(table, "job_error", **job("data/a.npz", rule_msg="SLURM status is: 'TIMEOUT', said \"so\""))
    (row,) = rows(table)
    assert tuple(row) == COLUMNS
    assert (row["rule"], row["output"], row["log"]) == ("encode", "data/a.npz", "data/a.npz.log")
    assert row["reason"] == "SLURM status is: 'TIMEOUT', said \"so\""


def test_the_jobs_of_a_group_share_what_slurm_says_of_it(table, tmp_path):
    log = tmp_path / "7.log"
    log.write_text("slurmstepd: error: first\nother\nslurmstepd-vm: error: *** JOB 7 ON vm CANCELLED ***\nlast\n")
    send(table, "group_error", aux_logs=[str(log)])
    for name in ("data/a.npz", "results/a/LinTS.npz"):
        send(table, "job_error", **job(name, indent=True))
    assert [row["output"] for row in rows(table)] == ["data/a.npz", "results/a/LinTS.npz"]
    assert {(row["reason"], row["log"]) for row in rows(table)} == {("JOB 7 ON vm CANCELLED", str(log))}


def test_a_job_after_a_group_does_not_inherit_its_reason(table, tmp_path):
    log = tmp_path / "7.log"
    log.write_text("slurmstepd: error: *** JOB 7 ON vm CANCELLED ***\n")
    send(table, "group_error", aux_logs=[str(log)])
    send(table, "job_error", **job("data/b.npz"))
    assert rows(table)[0]["reason"] == ""


def test_other_messages_leave_no_trace(table):
    table.handle(logging.makeLogRecord({"msg": "Select jobs to execute..."}))
    send(table, "job_finished", jobid=3)
    assert not table.path.exists()
    assert not table.outputs


def test_what_failed_more_than_once_is_reported_once(table):
    for name in ("a", "b", "a"):
        send(table, "job_error", **job(name))
    assert len(rows(table)) == 3
    assert table.report() == f"Tried again after a failure: a, b. The reasons are in {table.path}."
    assert table.report(shown=1).startswith("Tried again after a failure: a and 1 more.")

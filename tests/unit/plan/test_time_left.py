"""How long a run still takes, as it is said on a terminal."""

import logging

import pytest

from balanced_bandits.plan import running


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(running.time, "monotonic", lambda: now[0])
    return now


def done(handler):
    record = logging.LogRecord("snakemake", logging.INFO, "", 0, None, None, None)
    record.done, record.total = 1, 10
    handler.emit(record)


def test_the_time_left_follows_from_the_pace_so_far(clock, capsys):
    left = [100.0]
    handler = running.TimeLeft(lambda: left[0])
    done(handler)
    assert capsys.readouterr().err == ""  # nothing is known yet
    clock[0] += 60
    left[0] = 80.0
    done(handler)
    assert capsys.readouterr().err == "About 4 min 0 s left.\n"
    clock[0] += 1
    done(handler)
    assert capsys.readouterr().err == ""  # just said
    clock[0] += 59
    left[0] = 40.0
    done(handler)
    assert capsys.readouterr().err == "About 1 min 20 s left.\n"
    clock[0] += 100
    left[0] = 0.0
    done(handler)
    assert capsys.readouterr().err == ""  # the end speaks for itself


def test_other_records_say_nothing(clock, capsys):
    left = [100.0]
    handler = running.TimeLeft(lambda: left[0])
    clock[0], left[0] = 1060.0, 80.0
    handler.emit(logging.LogRecord("snakemake", logging.INFO, "", 0, "words", None, None))
    assert capsys.readouterr().err == ""

"""A table of the attempts of jobs that failed, so that what a cluster had to do twice is known by name."""

import csv
import logging
import re
import time
from pathlib import Path
from typing import Any

COLUMNS = ("time", "rule", "output", "reason", "log")


class FailureTable(logging.Handler):
    """Listens to Snakemake's messages and adds a row to ``path`` for every job of an attempt that failed.

    Of a job that is tried again, the next attempt is not here if it ended well; rows of earlier runs stay.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.outputs: dict[str, int] = {}  # the number of failed attempts in this run, by output
        self._group_logs: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take notice of the failure of a job, alone or in a group."""
        event = getattr(getattr(record, "event", None), "value", None)
        facts: dict[str, Any] = vars(record)
        if event == "group_error":
            # The rows come with its jobs, of which each is reported after it.
            self._group_logs = [str(log) for log in facts.get("aux_logs") or ()]
        elif event == "job_error":
            logs = [str(log) for log in facts.get("log") or ()]
            logs += self._group_logs if facts.get("indent") else []
            reason = facts.get("rule_msg") or _last_word(logs)
            outputs = [str(output) for output in facts.get("output") or ()]
            self._add(facts["rule_name"], " ".join(outputs), reason, logs[-1] if logs else "")

    def _add(self, rule: str, output: str, reason: str, log: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            if file.tell() == 0:
                writer.writerow(COLUMNS)
            writer.writerow((time.strftime("%Y-%m-%dT%H:%M:%S"), rule, output, reason, log))
        self.outputs[output] = self.outputs.get(output, 0) + 1

    def report(self, shown: int = 10) -> str:
        """In words which jobs failed at first in this run."""
        names = list(self.outputs)
        more = f" and {len(names) - shown} more" if len(names) > shown else ""
        return f"Tried again after a failure: {', '.join(names[:shown])}{more}. The reasons are in {self.path}."


def _last_word(logs: list[str]) -> str:
    """What Slurm wrote last about a job that it ended, in the first of the job's logs that has such a line."""
    for log in logs:
        path = Path(log)
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        found = re.findall(r"^slurmstepd[^:]*: error: (.*)$", text, flags=re.MULTILINE)
        if found:
            return str(found[-1]).strip("* ")
    return ""

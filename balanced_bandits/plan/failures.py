"""A table of failed attempts, which names the jobs that a cluster had to try again."""

import csv
import logging
import re
import time
from pathlib import Path
from typing import Any

from balanced_bandits.plan.snakemake_internals import event_of

COLUMNS = ("time", "rule", "output", "reason", "log")


class FailureTable(logging.Handler):
    """Listens to Snakemake's log and appends one row to ``path`` for each job that fails, once per attempt.

    Attempts that succeed are not listed. Rows of earlier runs are kept.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.outputs: dict[str, int] = {}  # the number of failed attempts in this run, by output
        self._group_logs: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Record the failure of a job, alone or in a group."""
        event = event_of(record)
        facts: dict[str, Any] = vars(record)
        if event == "group_error":
            # No row yet: each of its jobs is reported after it.
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
        """Name the jobs that failed at first in this run."""
        names = list(self.outputs)
        more = f" and {len(names) - shown} more" if len(names) > shown else ""
        return f"Tried again after a failure: {', '.join(names[:shown])}{more}. The reasons are in {self.path}."


def _last_word(logs: list[str]) -> str:
    """The last error that Slurm wrote when it ended a job, from the first of the job's logs that has one."""
    for log in logs:
        path = Path(log)
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        found = re.findall(r"^slurmstepd[^:]*: error: (.*)$", text, flags=re.MULTILINE)
        if found:
            return str(found[-1]).strip("* ")
    return ""

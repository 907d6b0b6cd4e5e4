"""``balanced-bandits verify``: compare results with the published ones."""

import sys
from pathlib import Path

from balanced_bandits.verification.comparison import DIFFERENT, IDENTICAL, NOT_COMPARABLE, ROUNDING
from balanced_bandits.verification.verify import verify as compared

SENTENCES = {
    IDENTICAL: "identical: these are the published results.",
    ROUNDING: "equal within rounding: these are the published results, as another kind of processor computes them.",
    DIFFERENT: "different: these are not the published results.",
}


def verify(results: Path, published: Path) -> None:
    """Print what was found of every table and a verdict; exits with status 1 if it is ``different``."""
    report = compared(results, published)
    source = report.source
    model = (source.get("processor") or {}).get("model") or "unknown processor"
    print(f"published: {source['suite']}, {source['date']}, revision {source['revision'][:12]}, {model}")
    if report.suite != source["suite"]:
        print(f"yours: {report.suite}, a part of {source['suite']}")
    for finding in report.findings:
        print(f"{finding.name:<24} {finding.verdict}: {finding.words}")
        for example in finding.examples:
            print(f"{'':<26}{example}")
    if report.verdict != IDENTICAL and report.circumstances:
        print("not as in the published run:", *report.circumstances, sep="\n  ")
    skipped = sum(finding.verdict == NOT_COMPARABLE for finding in report.findings)
    if skipped:
        print(f"{skipped} of {len(report.findings)} tables could not be compared.")
    print(f"verdict: {SENTENCES[report.verdict]}")
    if report.verdict == DIFFERENT:
        sys.exit(1)

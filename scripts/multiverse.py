"""Make the tables of the multiverse.

Input: the plan as JSON, the suite and the results of all jobs. Output (CSV): the universes and the datasets; the claims
in every universe; their verdicts counted; what moves them; the claims for what people tune.
"""

import argparse
import json
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.classification import multiverse as tables_of
from balanced_bandits.analysis.classification import tuning
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.tables import write_table
from balanced_bandits.datasets.families import family_of
from balanced_bandits.datasets.suite import add_options, asked_for
from balanced_bandits.plan.subset import stratum_of


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--plan", required=True, type=json.loads, help="universes, datasets and costs, as JSON")
    parser.add_argument("--runs", required=True, type=Path, help="the folder of the results of all jobs")
    parser.add_argument("--folder", required=True, type=Path, help="where the tables go")
    arguments = parser.parse_args()
    plan, rows = arguments.plan, asked_for(arguments)
    if not plan["datasets"] or len(plan["bandits"]) < 2:
        least = min(plan["seconds"].values(), default=0.0) / 3600
        raise InputError(
            f"there is nothing to play in the multiverse: multiverse.hours is {plan['hours']:g}, but the cheapest "
            f"dataset alone takes {least:.2g} CPU hours, or fewer than two of multiverse.bandits play."
        )
    families = {name: family_of(name, row.family) for name, row in rows.items()}
    runs, known = tables_of.read_runs(arguments.runs, plan)
    found = tables_of.universes_of(runs, families, plan["bandits"])
    if not found.datasets:
        raise InputError("none of the datasets of the multiverse can be played; datasets.csv says why.")
    seed, rope = plan["seed"], plan["rope"]
    varied = {each["name"]: " ".join(each["varied"]) for each in plan["universes"]}
    tuned = {name: runs[name] for name in plan["tuned"]}
    strata = {name: stratum_of(row.n, row.d, row.K) for name, row in rows.items()}
    claims = tables_of.claims_by_universe(found, rope, seed)
    tables = {
        "universes": pd.DataFrame([
            {"universe": each["name"], "choice": choice, "level": f"{choice} {each['varied'].get(choice, levels[0])}",
             "default": choice not in each["varied"], "identity": each["identity"][:16]}
            for each in plan["universes"] for choice, levels in plan["choices"].items()
        ], columns=["universe", "choice", "level", "default", "identity"]),
        "datasets": pd.DataFrame([
            {"name": name, "family": families[name], "n": row.n, "d": row.d, "K": row.K,
             "predicted_seconds": plan["seconds"][name], "played": name in found.datasets,
             "left_out": reason_of(name, plan, known)}
            for name, row in rows.items()
        ]),
        "subset": tables_of.subset(strata, found.datasets),
        "claims": claims,
        "verdicts": tables_of.verdicts(claims),
        "shifts": tables_of.shifts(found, varied, seed),
        "regrets": tables_of.regrets_by_universe(found, seed),
        "spread": tables_of.spread(found, plan["combinations"], seed),
        "settings": tuning.by_setting(found, tuned, rope, seed),
        "tuning": tuning.by_number_of_settings(found, tuned, plan["settings"], rope, seed),
    }  # fmt: skip
    for name, table in tables.items():
        write_table(arguments.folder / f"{name}.csv", table)
    print(f"{len(found.names)} universes on {len(found.datasets)} of {len(rows)} datasets; predicted CPU hours: "
          f"{plan['total_seconds'] / 3600:.2f} of {plan['hours']:g}")  # fmt: skip


def reason_of(name: str, plan: dict, known: dict) -> str:  # type: ignore[type-arg]
    """Why a dataset is not in the multiverse, "" if it is."""
    if name in plan["datasets"]:
        return str(known[name]["rejected"] or "")
    return f"the budget of {plan['hours']:g} CPU hours has no room for it"


if __name__ == "__main__":
    guarded(main)

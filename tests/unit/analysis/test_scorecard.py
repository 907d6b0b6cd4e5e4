"""The scorecard: every claim of the paper has a row, a verdict by the rules, and rows of a file it rests on."""

import numpy as np
import pytest
from handmade_tables import PLACEBO, rounds_like_the_paper, tables

from balanced_bandits.analysis.paper import CLAIMS, PAPER_PERCENT, PAPER_ROUNDS, PAPER_SIZES, SOONER
from balanced_bandits.analysis.scorecard import (
    ENOUGH,
    KINDS,
    RULES,
    about,
    near,
    scorecard,
    summary,
    summary_in_markdown,
    weakest,
)
from balanced_bandits.analysis.synthetic.orderings import sooner
from balanced_bandits.core.tables import read_table, write_table
from balanced_bandits.vocabulary import PROTOCOLS, UNJUDGED, VERDICTS


@pytest.fixture(scope="module")
def made():
    """The tables of a run with the paper's own results; tests must not modify them."""
    return tables(rounds_like_the_paper())


def verdicts(card, rule):
    return card.loc[card["rule"] == rule, "verdict"].tolist()


def by_claim(card, **keys):
    for name, value in keys.items():
        card = card[card[name] == value]
    return card.set_index("claim")["verdict"]


def test_a_run_that_is_the_papers_own_has_every_claim_on_orderings_and_percentages(made):
    card = scorecard(made, "mine")
    assert verdicts(card, "percentages") == ["holds"] * len(PAPER_PERCENT)
    assert verdicts(card, "find times") == ["holds"] * len(PAPER_ROUNDS)
    orderings = card[card["rule"] == "orderings in the synthetic example"]
    assert len(orderings) == 6 + 6 + len(SOONER)
    # BLUCB and LinUCB are one point apart in the mis-specified column: no interval of 100 simulations can tell.
    close = "BLUCB finds the optimum more often than LinUCB, mis-specified"
    assert by_claim(orderings)[close] == "inconclusive"
    assert "no better" in orderings.set_index("claim")["where"][close]
    assert by_claim(orderings)["BLTS finds the optimum more often than LinUCB, well-specified"] == "holds"
    assert by_claim(orderings)["BLTS finds the optimum sooner than LinTS, well-specified"] == "holds"
    assert verdicts(card, "orderings on datasets") == ["holds"] * len(CLAIMS) * len(PROTOCOLS)
    assert verdicts(card, "best overall")[2:] == ["holds"] * len(PROTOCOLS)
    assert set(card["verdict"]) <= set(VERDICTS)


def test_every_rule_is_written_down_and_used(made):
    card = scorecard(made, "mine")
    assert set(card["rule"]) | {UNJUDGED} == set(RULES)
    assert set(KINDS) | {"orderings on datasets"} == set(card["rule"])


def test_every_row_names_rows_of_its_file_that_hold_its_number(made, tmp_path):
    """The conditions are read as text, as by someone who looks the number up in the file."""
    card = scorecard(made, "mine")
    ours = {"table1": "percent", "orderings": "difference", "rates": "median_rounds_to_find", "sooner": "share",
            "claims": "difference", "table2": "datasets"}  # fmt: skip
    for name, table in made.items():
        write_table(tmp_path / f"{name}.csv", table)
    for row in card.itertuples():
        folder, name = row.file.removesuffix(".csv").rsplit("/", 1)
        assert folder == ("results/synthetic" if row.experiment == "synthetic" else "results/mine")
        found = read_table(tmp_path / f"{name}.csv")
        for condition in row.rows.split("; "):
            column, _, value = condition.partition("=")
            found = found[found[column].astype(str) == value]
        if row.rule == "best overall":
            assert len(found) == {"synthetic": 3, "classification": 4}[row.experiment]
            assert row.ours == (found["verdict"] == "holds").sum()
            assert row.verdict == weakest(found["verdict"].tolist())
            continue
        scale = 100.0 if name == "claims" else 1.0
        assert len(found) == 1
        assert row.ours == pytest.approx(scale * found[ours[name]].item())
        if name in ("claims", "orderings", "sooner", "table1"):
            assert (row.low, row.high) == pytest.approx((scale * found["low"].item(), scale * found["high"].item()))
        if name in ("claims", "orderings", "sooner"):
            assert row.verdict == found["verdict"].item()


def test_the_placebo_is_no_claim_of_the_paper(made):
    assert PLACEBO[0] in set(made["claims"]["better"])
    card = scorecard(made, "mine")
    assert not card["claim"].str.contains(PLACEBO[0]).any()
    assert not card.duplicated(["claim", "reading", "protocol"]).any()


def test_figures_are_those_of_the_reading_and_protocol(made):
    card = scorecard(made, "mine")
    here = card[(card["rule"] == "orderings on datasets") & (card["protocol"] == "held_out")]
    assert set(here["figure"]) == {"figures/mine/pairwise_residual_held_out"}
    assert set(here["unit"]) == {"points of regret"}


def test_what_the_run_does_not_have_cannot_be_judged(made):
    rounds = {spec: {b: of[b] for b in ("LinTS", "LinUCB")} for spec, of in rounds_like_the_paper().items()}
    card = scorecard(tables(rounds, bandits=["LinTS", "LinUCB"]), "mine")
    assert len(card) == len(scorecard(made, "mine"))
    judged = card[(card["verdict"] != UNJUDGED) & (card["rule"] != "numbers of datasets")]
    assert not judged["claim"].str.contains("BL|ILTCB").any()
    assert judged["claim"].str.contains("LinTS outperforms LinUCB").sum() == len(PROTOCOLS)
    missing = card[card["claim"].str.contains("BLTS outperforms LinTS")]
    assert missing[["ours", "low", "high"]].isna().all(axis=None)
    assert set(verdicts(card, "best overall")) == {UNJUDGED}


def test_too_few_simulations_or_datasets_cannot_be_judged():
    card = scorecard(tables(rounds_like_the_paper(ENOUGH - 1), datasets=ENOUGH - 1), "mine")
    assert set(card["verdict"]) == {UNJUDGED}
    assert card["ours"].notna().all()  # the numbers are shown all the same


def test_a_find_time_of_few_simulations_cannot_be_judged(made):
    few = made["rates"].assign(found=ENOUGH - 1)
    card = scorecard(made | {"rates": few}, "mine")
    assert verdicts(card, "find times") == [UNJUDGED] * len(PAPER_ROUNDS)
    assert verdicts(card, "percentages") == ["holds"] * len(PAPER_PERCENT)


def test_reversed_orderings_and_the_weakest_of_them():
    card = scorecard(tables(rounds_like_the_paper(), difference=-0.1), "mine")
    for protocol in PROTOCOLS:
        of = by_claim(card, protocol=protocol)
        assert of["BLTS outperforms LinTS"] == "reversed"
        assert of["BLTS outperforms ILTCB"] == "holds"
        assert of["BLTS outperforms all others"] == "reversed"
    assert set(card.loc[card["claim"] == "BLTS outperforms all others", "ours"]) == {1}


def test_small_differences_are_practically_equal_and_so_is_the_best_of_them():
    of = by_claim(scorecard(tables(rounds_like_the_paper(), difference=0.001), "mine"), protocol="fixed")
    assert of["BLTS outperforms LinTS"] == of["BLTS outperforms all others"] == "practically equal"
    assert of["BLTS outperforms ILTCB"] == "holds"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "practically equal"], "practically equal"),
        (["inconclusive", "practically equal"], "inconclusive"),
        (["reversed", "inconclusive", "holds"], "reversed"),
        (["reversed", "can't be judged", "holds"], "can't be judged"),
    ],
)
def test_the_weakest_verdict(parts, words):
    assert weakest(parts) == weakest(parts[::-1]) == words


@pytest.mark.parametrize(
    ("ours", "low", "high", "words"),
    [
        (84, 74, 94, "holds"),  # 20 points wide
        (84, 73, 94, "close"),  # wider
        (73, 72, 74, "does not hold"),
        (74, 73, 75, "close"),
        (50, 10, 90, "close"),  # inside, but so is nearly everything
    ],
)
def test_verdicts_on_percentages(ours, low, high, words):
    assert near(84, ours, low, high) == words


@pytest.mark.parametrize(
    ("median", "low", "high", "words"),
    [(300, 240, 400, "holds"), (120, 60, 200, "close"), (480, 300, 600, "close"), (481, 300, 600, "does not hold"),
     (119, 60, 200, "does not hold")],
)  # fmt: skip
def test_verdicts_on_find_times(median, low, high, words):
    assert about(240, median, low, high) == words


def test_the_papers_own_table_2_holds_and_shares_are_close(made):
    own = made["table2"].assign(datasets=made["table2"]["paper"].fillna(0).astype(int))
    assert set(verdicts(scorecard(made | {"table2": own}, "mine"), "numbers of datasets")) == {"holds"}
    third = own.assign(datasets=own["datasets"] // 3)
    card = scorecard(made | {"table2": third}, "mine")
    strata = sum(map(len, PAPER_SIZES.values()))
    assert verdicts(card, "numbers of datasets") == ["close"] * strata + ["does not hold"]
    none = made["table2"].assign(datasets=0)
    assert set(verdicts(scorecard(made | {"table2": none}, "mine"), "numbers of datasets")) == {UNJUDGED}


def test_a_run_without_claims_has_no_rows_on_figure_4(made):
    card = scorecard(made | {"claims": made["claims"].iloc[:0]}, "mine")
    assert set(card["rule"]) == set(KINDS)
    assert set(card["protocol"]) == {""}


def test_who_is_sooner_counts_what_was_never_found_as_late():
    inf = np.inf
    table = sooner({"well": {"LinTS": np.array([5, 7, inf, inf, 9]), "LinUCB": np.array([6, inf, 3, inf, 9])}})
    (row,) = table.to_dict("records")
    assert (row["better"], row["worse"], row["sooner"], row["later"], row["ties"]) == ("LinTS", "LinUCB", 2, 1, 2)
    assert row["share"] == pytest.approx(200 / 3)
    assert row["verdict"] == "inconclusive"
    same = sooner({"well": {"LinTS": np.array([5.0]), "LinUCB": np.array([5.0])}}).iloc[0]
    assert (same["low"], same["share"], same["high"], same["verdict"]) == (0, 50, 100, "inconclusive")
    late = sooner({"well": {"LinTS": np.full(20, inf), "LinUCB": np.full(20, 3.0)}}).iloc[0]
    assert late["verdict"] == "reversed"


def test_the_summary_counts_every_claim_once(made):
    card = scorecard(made, "mine")
    counted = summary(card)
    assert sum(sum(of["counts"]) for of in counted) == len(card)
    assert {"claims": "Table 1, percentages", "counts": [8, 0, 0, 0, 0, 0, 0]} in counted
    assert {"claims": "section 4.1, find times", "counts": [3, 0, 0, 0, 0, 0, 0]} in counted
    figure4 = {"claims": "Figure 4: variance residual, protocol typical", "counts": [8, 0, 0, 0, 0, 0, 0]}
    assert figure4 in counted  # the seven claims, and BLTS best
    lines = summary_in_markdown(card).splitlines()
    words = "holds | close | practically equal | inconclusive | does not hold | reversed | can't be judged"
    assert lines[0] == f"| claims | {words} |"
    assert "| Table 1, percentages | 8 | 0 | 0 | 0 | 0 | 0 | 0 |" in lines
    assert len(lines) == 2 + len(counted)

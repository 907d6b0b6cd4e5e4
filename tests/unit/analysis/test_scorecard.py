"""The scorecard: every claim of the paper has a row, a verdict by the rules, and rows of a file it rests on."""

import numpy as np
import pytest
from handmade_tables import rounds_like_the_paper, tables

from balanced_bandits.analysis.paper import CLAIMS, PAPER_PERCENT, PAPER_ROUNDS, PAPER_SIZES, SOONER
from balanced_bandits.analysis.scorecard import ENOUGH, RULES, VERDICTS, scorecard, summary, summary_in_markdown
from balanced_bandits.analysis.synthetic.orderings import sooner


def verdicts(card, rule):
    return card.loc[card["rule"] == rule, "verdict"].tolist()


def test_a_run_that_is_the_papers_own_has_every_claim_on_orderings_and_percentages():
    card = scorecard(tables(rounds_like_the_paper()), "mine")
    assert verdicts(card, "percentages") == ["holds"] * len(PAPER_PERCENT)
    assert verdicts(card, "find times") == ["holds"] * len(PAPER_ROUNDS)
    # BLUCB and LinUCB are one point apart in the mis-specified column: no interval of 100 simulations can tell.
    orderings = card[card["rule"] == "orderings in the synthetic example"]
    assert len(orderings) == 6 + 6 + len(SOONER)
    by_claim = orderings.set_index("claim")["verdict"]
    assert by_claim["BLUCB finds the optimum more often than LinUCB, mis-specified"] == "holds weakly"
    assert by_claim["BLTS finds the optimum more often than LinUCB, well-specified"] == "holds"
    assert by_claim["BLTS finds the optimum sooner than LinTS, well-specified"] == "holds"
    assert (
        "no better"
        in orderings.set_index("claim")["where"]["BLUCB finds the optimum more often than LinUCB, mis-specified"]
    )
    assert verdicts(card, "orderings on datasets") == ["holds"] * len(CLAIMS) * 2
    assert verdicts(card, "best overall")[2:] == ["holds"] * 2
    assert set(card["rule"]) | {"can't be judged"} == set(RULES)
    assert set(card["verdict"]) <= set(VERDICTS)


def test_every_row_names_rows_of_its_file_that_hold_its_number():
    made = tables(rounds_like_the_paper())
    card = scorecard(made, "mine")
    ours = {"table1": "percent", "orderings": "difference", "rates": "median_rounds_to_find", "sooner": "share",
            "claims": "win_share", "table2": "datasets"}  # fmt: skip
    for row in card.itertuples():
        name = row.file.rsplit("/", 1)[1].removesuffix(".csv")
        found = made[name].astype(str)
        for condition in row.rows.split("; "):
            column, _, value = condition.partition("=")
            found = found[found[column] == value]
        assert len(found) == (
            1 if row.rule != "best overall" else {"synthetic": 3, "classification": 4}[row.experiment]
        )
        if row.rule != "best overall":
            scale = 100.0 if name == "claims" else 1.0
            assert row.ours == pytest.approx(scale * float(found[ours[name]].iloc[0]))


def test_what_the_run_does_not_have_cannot_be_judged():
    rounds = {spec: {b: of[b] for b in ("LinTS", "LinUCB")} for spec, of in rounds_like_the_paper().items()}
    card = scorecard(tables(rounds, bandits=["LinTS", "LinUCB"]), "mine")
    judged = card[(card["verdict"] != "can't be judged") & (card["rule"] != "numbers of datasets")]
    assert len(card) == len(scorecard(tables(rounds_like_the_paper()), "mine"))
    assert not judged["claim"].str.contains("BL|ILTCB").any()
    assert judged["claim"].str.contains("LinTS outperforms LinUCB").sum() == 2


def test_too_few_simulations_or_datasets_cannot_be_judged():
    card = scorecard(tables(rounds_like_the_paper(ENOUGH - 1), datasets=ENOUGH - 1), "mine")
    assert set(card["verdict"]) == {"can't be judged"}
    assert card["ours"].notna().all()  # the numbers are shown all the same


def test_reversed_orderings_do_not_hold():
    card = scorecard(tables(rounds_like_the_paper(), difference=-0.1), "mine")
    of = card[(card["protocol"] == "paper") & (card["rule"] == "orderings on datasets")].set_index("claim")["verdict"]
    assert of["BLTS outperforms LinTS"] == "does not hold"
    assert of["BLTS outperforms ILTCB"] == "holds"
    assert set(card[card["claim"] == "BLTS outperforms all others"]["verdict"]) == {"does not hold"}


def test_the_papers_own_table_2_holds_and_shares_hold_weakly():
    made = tables(rounds_like_the_paper())
    own = made["table2"].assign(datasets=made["table2"]["paper"].fillna(0).astype(int))
    assert set(verdicts(scorecard(made | {"table2": own}, "mine"), "numbers of datasets")) == {"holds"}
    third = own.assign(datasets=own["datasets"] // 3)
    card = scorecard(made | {"table2": third}, "mine")
    assert verdicts(card, "numbers of datasets") == ["holds weakly"] * sum(map(len, PAPER_SIZES.values())) + [
        "does not hold"
    ]


def test_who_is_sooner_counts_what_was_never_found_as_late():
    inf = np.inf
    table = sooner({"well": {"LinTS": np.array([5, 7, inf, inf, 9]), "LinUCB": np.array([6, inf, 3, inf, 9])}})
    (row,) = table.to_dict("records")
    assert (row["better"], row["worse"], row["sooner"], row["later"], row["ties"]) == ("LinTS", "LinUCB", 2, 1, 2)
    assert row["share"] == pytest.approx(200 / 3)
    assert row["verdict"] == "holds weakly"
    same = sooner({"well": {"LinTS": np.array([5.0]), "LinUCB": np.array([5.0])}}).iloc[0]
    assert (same["low"], same["share"], same["high"], same["verdict"]) == (0, 50, 100, "does not hold")


def test_the_summary_counts_every_claim_once():
    card = scorecard(tables(rounds_like_the_paper()), "mine")
    counted = summary(card)
    assert sum(sum(of["counts"]) for of in counted) == len(card)
    assert {"claims": "Table 1, percentages", "counts": [8, 0, 0, 0]} in counted
    assert {"claims": "section 4.1, find times", "counts": [3, 0, 0, 0]} in counted
    lines = summary_in_markdown(card).splitlines()
    assert lines[0] == "| claims | holds | holds weakly | does not hold | can't be judged |"
    assert "| Table 1, percentages | 8 | 0 | 0 | 0 |" in lines
    assert len(lines) == 2 + len(counted)

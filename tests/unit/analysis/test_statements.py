"""The list of the paper's empirical sentences, the scorecard and the page of the list are in step."""

import pytest
from conftest import ROOT
from handmade_tables import rounds_like_the_paper, tables

from balanced_bandits.analysis.scorecard import scorecard
from balanced_bandits.analysis.statements import STATEMENTS, in_markdown


@pytest.fixture(scope="module")
def claims():
    """All claims of the scorecard."""
    return set(scorecard(tables(rounds_like_the_paper()), "mine")["claim"])


def test_every_claim_of_the_scorecard_is_in_a_sentence_of_the_paper_and_the_other_way_round(claims):
    named = {claim for statement in STATEMENTS for claim in statement.claims}
    assert named == claims


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.quote[:40])
def test_a_sentence_is_judged_or_has_a_reason_why_not(statement):
    assert bool(statement.claims) != bool(statement.reason)
    assert len(set(statement.claims)) == len(statement.claims)
    assert not (statement.claims and statement.proposal)


def test_what_is_proposed_is_not_judged_already(claims):
    for statement in STATEMENTS:
        assert not any(statement.proposal.startswith(claim) for claim in claims)


def test_no_sentence_is_listed_twice():
    keys = [(statement.section, statement.quote) for statement in STATEMENTS]
    assert len(set(keys)) == len(keys)


def test_the_page_shows_the_list():
    assert (ROOT / "docs/statements.md").read_text().endswith(in_markdown())

"""How bandits show themselves at a prompt and in a notebook."""

import re

import pytest

from balanced_bandits.bandits import bandit_class


def test_as_it_was_made_with_the_choices_that_are_not_the_defaults():
    bandit = bandit_class("LinUCB")(2, 1, seed=3, alpha=2.0, criterion="loo", schedule={"batch": 5})
    shown = "LinUCB(n_arms=2, n_features=1, seed=3, alpha=2.0, schedule={'batch': 5}; 0 observations)"
    assert repr(bandit) == shown
    bandit.update([0.5], 1, 1.0)
    assert repr(bandit) == shown.replace("0 observations", "1 observation")


@pytest.mark.parametrize(
    ("name", "columns"), [("LinUCB", ["arm", "observations", "lambda"]), ("ILTCB", ["arm", "observations"])]
)
def test_a_notebook_shows_a_table_of_the_arms(name, columns):
    bandit = bandit_class(name)(2, 1, lams=[1.0])
    for arm, reward in ((0, 1.0), (1, 0.0), (1, 1.0)):
        bandit.update([0.5 * arm], arm, reward)
    page = bandit._repr_html_()
    assert re.findall("<th>([a-z]+)</th>", page) == columns
    rows = re.findall(r"<tr><th>(\d)</th><td>(\d)</td>", page)
    assert rows == [("0", "1"), ("1", "2")]
    assert page.startswith("<code>")
    assert "<td>1</td></tr>" in page or name == "ILTCB"

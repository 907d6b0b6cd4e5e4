"""Table 2: counting by hand, and the three forms it is written in."""

import pandas as pd

from balanced_bandits.analysis.classification.table2 import table2, to_latex, to_markdown
from balanced_bandits.analysis.paper import PAPER_SIZES


def datasets(*rows: tuple[int, int, int, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["n", "d", "K", "left_out"])


GIVEN = datasets(
    (100, 10, 2, ""), (101, 11, 3, ""), (1000, 100, 10, ""), (1001, 101, 11, ""), (10000, 1, 2, ""),
    (10001, 5000, 26, ""), (12, 3, 2, "all rows are of one class, 'a'"),
)  # fmt: skip


def test_counts_by_hand():
    counted = table2(GIVEN)
    by_quantity = {quantity: part["datasets"].tolist() for quantity, part in counted.groupby("quantity")}
    assert by_quantity == {
        "Observations": [1, 2, 2, 1], "Classes": [2, 2, 2], "Features": [2, 2, 2], "All": [6, 1],
    }  # fmt: skip
    assert counted["stratum"].tolist()[:4] == ["<= 100", "> 100 and <= 1000", "> 1000 and <= 10000", "> 10000"]
    assert counted["stratum"].tolist()[4:7] == ["2", "> 2 and <= 10", "> 10"]


def test_every_stratum_has_the_papers_number_and_they_add_up():
    for numbers in PAPER_SIZES.values():
        assert sum(numbers) == 300
    counted = table2(GIVEN)
    assert counted["paper"].tolist()[:-1] == [58, 152, 57, 33, 243, 48, 9, 154, 106, 40, 300]
    assert pd.isna(counted["paper"].tolist()[-1])


def test_reasons_that_are_missing_values_leave_nothing_out():
    assert table2(GIVEN.assign(left_out=None))["datasets"].tolist()[-2:] == [7, 0]


def test_markdown_and_latex():
    counted = table2(GIVEN)
    lines = to_markdown(counted).splitlines()
    assert lines[2] == "| Observations | <= 100 | 1 | 58 |"
    assert lines[3] == "|  | > 100 and <= 1000 | 2 | 152 |"
    assert lines[-1] == "|  | left out | 1 |  |"
    latex = to_latex(counted)
    assert "Classes & 2 & 2 & 243 \\\\\n & $>$ 2 and $\\leq$ 10 & 2 & 48 \\\\\n" in latex
    assert latex.count("\\hline") == 6

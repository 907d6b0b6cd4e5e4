"""Words that mean a missing value; ``missing_values`` in the configuration replaces these defaults.

Some are missing everywhere. Others may be levels of a category ("unknown" often is), so they are missing only in a
column whose other values are all numbers, dates or times; there, case does not matter.
"""

EVERYWHERE = ("", "?", "NA", "N/A", "NaN", "nan", "<null>", "null")
AMONG_NUMBERS = (
    "na", "n/a", "#n/a", "n.a.", "nan", "null", "nil", "none", "unknown", "unk", "missing", "not available",
    "not applicable", "not recorded", "undefined", "inf", "+inf", "-inf", "infinity",
    "-", "--", "---", ".", "..", "...", "*", "?", "nd", "n.d.",
    "#div/0!", "#value!", "#ref!", "#num!", "#name?", "nat",
)  # fmt: skip

"""The code as docs/architecture.md and docs/boxes.md describe it: who imports whom, where a line of a box is."""

import ast
import importlib
import re
import subprocess
import sys

import pytest
from conftest import ROOT

PACKAGE = ROOT / "balanced_bandits"
ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \|", (ROOT / "docs/architecture.md").read_text(), flags=re.MULTILINE)
MAY_IMPORT = {room: set(re.findall(r"`(\w+)`", others)) for room, others in ROWS}
BOXES = (ROOT / "docs/boxes.md").read_text()


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path):
    """The rooms that a file imports, at its top or inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module == "balanced_bandits":
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("balanced_bandits."):
            names = [node.module.split(".")[1]]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".")[1] for alias in node.names if alias.name.startswith("balanced_bandits.")]
        yield from names


def test_every_room_is_in_the_table():
    assert set(MAY_IMPORT) == {room_of(path) for path in PACKAGE.rglob("*.py")} - {"__init__"}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_the_table_allows(room):
    files = [path for path in PACKAGE.rglob("*.py") if room_of(path) == room]
    found = {other: path for path in files for other in imported(path) if other != room}
    assert set(found) <= MAY_IMPORT[room], {other: str(found[other]) for other in set(found) - MAY_IMPORT[room]}
    unused = MAY_IMPORT[room] - set(found)
    assert not unused, f"the table allows what nothing uses: {unused}"


def test_no_two_rooms_import_each_other_directly_or_through_others():
    reached = {room: set(others) for room, others in MAY_IMPORT.items()}
    for _ in reached:
        for others in reached.values():
            others |= set().union(*(reached[other] for other in others))
    assert not [room for room, others in reached.items() if room in others]


def test_planning_needs_neither_numba_nor_pandas():
    code = "import sys; from balanced_bandits.plan.plan import Plan; Plan({}).check()"
    code += "; print([name for name in ('numba', 'pandas', 'matplotlib', 'snakemake') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def rows_of_boxes():
    for line in BOXES.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("|") and "`" in line:
            yield cells[-2], cells[-1]


@pytest.mark.parametrize(("plain", "fast"), list(rows_of_boxes()))
def test_the_page_of_the_boxes_leads_to_lines_and_functions_that_exist(plain, fast):
    lines = [line.split("  # ")[0].strip() for line in (PACKAGE / "boxes.py").read_text().splitlines()]
    for code in re.findall(r"`([^`]+)`", plain):
        assert code in lines, code
    for name in re.findall(r"`([\w.]+)`", fast):
        module, _, function = f"balanced_bandits.{name}".rpartition(".")
        assert hasattr(importlib.import_module(module), function), name


@pytest.mark.parametrize(("heading", "last", "structure"), [("Algorithm 1", 22, {1, 7, 10, 22}),
                                                               ("Algorithm 2", 21, {1, 7, 9, 21})])  # fmt: skip
def test_every_line_of_the_boxes_is_on_the_page(heading, last, structure):
    """But for the input, "else" and "end"."""
    table = BOXES.split(f"## {heading}")[1].split("\n## ")[0]
    covered = set()
    for numbers in re.findall(r"^\| ([\d–, ]+) \|", table, flags=re.MULTILINE):
        for part in numbers.split(", "):
            low, _, high = part.partition("–")
            covered |= set(range(int(low), int(high or low) + 1))
    assert covered | structure == set(range(1, last + 1))

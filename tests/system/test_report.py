"""The report in a real browser: it asks for nothing, and tooltips, filters, brush and keys do what they say."""

import base64
import contextlib
import functools
import json
import re
import shutil

import pandas as pd
import pytest
from conftest import ROOT
from handmade_tables import BANDITS, played, rounds_like_the_paper, scores_and_pairs, tables

from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.analysis.scorecard import RULES, scorecard
from balanced_bandits.figures.pairwise import mirrored
from balanced_bandits.report.captions import datasets_in_words
from balanced_bandits.report.explorer import explorer
from balanced_bandits.report.page import Drawing, render
from balanced_bandits.vocabulary import VERDICTS

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed; `make test` brings it")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here; install it (apt-get install chromium)"),
]

NASTY = "</script><img src=http://127.0.0.1:9/x onerror=alert(1)>"
NAMES = [f"set{i:02d}" for i in range(24)] + [NASTY]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CONFIG = {"classification": {"rope": 0.01}, "max_rounds": None, "max_features": 7, "max_levels": 1000, "bandits": {}}


@functools.cache
def material():
    runs, curves = played(NAMES)
    _, pairs = scores_and_pairs(runs, {name: name for name in NAMES})
    datasets = pd.DataFrame([
        {"name": name, "n": 40, "d": 2 + i, "K": 2 + i % 3, "source": "archive" if i % 2 else "sklearn", "family": name,
         "shuffles": 5, "left_out": "", "rows_capped_from": "", "features_capped_from": 90 if i == 3 else "",
         "differences": ""}
        for i, name in enumerate(NAMES)
    ])  # fmt: skip
    return curves, pairs, datasets


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    image = folder / "figures/tiny/pairwise_residual_paper.png"
    image.parent.mkdir(parents=True)
    image.write_bytes(base64.b64decode(PIXEL))
    curves, pairs, datasets = material()
    left_out = datasets.iloc[:1].assign(name="dull", left_out=f"all rows are of one class, '{NASTY}'")
    made = tables(rounds_like_the_paper())
    made["table1"] = made["table1"].assign(paper_percent=84, inside=True, percent_held_out=80.0, paper_rounds=None)
    timing = pd.DataFrame([{"dataset": "set00", "bandit": "BLTS", "n": 40, "d": 2, "K": 2, "runs": 4, "seconds": 1.5,
                            "cpu_seconds": 1.0, "predicted_seconds": 1.0, "mb": 300.0}])  # fmt: skip
    made |= {"scorecard": scorecard(made, "tiny"), "datasets": pd.concat([datasets, left_out]), "timing": timing}
    run = {"revision": "abc", "seed": 1, "versions": {"python": "3"}, "config": CONFIG}
    caption = str(ROOT / "workflow/report/pairwise.rst")
    wildcards = {"reading": "residual", "protocol": "paper"}
    drawings = [Drawing(str(image.relative_to(folder)), caption, wildcards, "Figure 4", "classification")]
    data = explorer(pairs, curves, datasets, BANDITS)
    page = folder / "report.html"
    made["datasets"].to_csv(folder / "datasets.csv", index=False)
    words = datasets_in_words(folder / "datasets.csv")
    with contextlib.chdir(folder):  # figures are named as from the folder of the run
        page.write_text(render(ROOT / "workflow/report", made, run, "tiny", drawings, data, words))
    return page.as_uri()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


class Opened:
    """The page in a tab of its own, with what it asked for and what it complained of."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(viewport={"width": 1200, "height": 1100}, **options)
        self.tab = self.context.new_page()
        self.asked, self.complaints = [], []
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.on("console", lambda message: self.complaints.append(message.text))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.goto(address)
        self.tab.evaluate("document.getElementById('grid-box').scrollIntoView()")

    def place(self, dataset, row, column):
        """Where a dataset's point is, in pixels of the window."""
        x, y = self.tab.evaluate("names => document.getElementById('grid').pointOf(...names)", [dataset, row, column])
        box = self.tab.locator("#grid").bounding_box()
        return box["x"] + x, box["y"] + y

    def unfold_listing(self):
        """Open the list of datasets, which is filled a moment later."""
        self.tab.locator("#listing summary").click()
        self.tab.locator("#listing tbody button").first.wait_for()

    def text(self, selector):
        return self.tab.locator(selector).text_content()

    def brush(self, dataset, row, column):
        """Drag a small frame around a point."""
        x, y = self.place(dataset, row, column)
        self.tab.mouse.move(x - 5, y - 5)
        self.tab.mouse.down()
        self.tab.mouse.move(x + 5, y + 5, steps=4)
        self.tab.mouse.up()

    def pixels(self):
        """The grid as it is painted, when what was asked for has been."""
        script = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
        self.tab.evaluate(script)
        return self.tab.evaluate("document.getElementById('grid').toDataURL()")

    def colour(self, dataset, row, column):
        """How strongly a point is painted: the distance of its middle from white."""
        self.pixels()
        script = """names => { const grid = document.getElementById('grid'), [x, y] = grid.pointOf(...names);
            return Array.from(grid.getContext('2d').getImageData(Math.round(x), Math.round(y), 1, 1).data); }"""
        return sum(255 - part for part in self.tab.evaluate(script, [dataset, row, column])[:3])


@pytest.fixture
def opened(browser, address):
    made = Opened(browser, address)
    yield made
    made.context.close()


def pair(dataset, row, column, reading="residual", protocol="paper"):
    """The comparison of two bandits on a dataset, in whichever order the table has them."""
    pairs = mirrored(material()[1])
    keys = {"dataset": dataset, "row": row, "column": column, "reading": reading, "protocol": protocol}
    for key, value in keys.items():
        pairs = pairs[pairs[key] == value]
    return pairs.iloc[0]


def alone(row, column):
    """A dataset with no other near it in a panel, and below the corner where counts are written."""
    own = [pair(name, row, column) for name in NAMES]
    apart = [(min(abs(one.regret_row - two.regret_row) + abs(one.regret_column - two.regret_column)
                  for two in own if two.dataset != one.dataset), one.dataset) for one in own]  # fmt: skip
    return max(apart)[1]


def test_the_page_asks_for_nothing_and_complains_of_nothing(opened, address):
    opened.unfold_listing()
    opened.tab.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    assert [url for url in opened.asked if not url.startswith("data:")] == [address]
    assert opened.complaints == []
    assert opened.text("#status") == f"{len(NAMES)} of {len(NAMES)} datasets shown."


def test_text_from_data_stays_text(opened):
    assert opened.tab.locator("img").count() == 1  # the figure
    assert NASTY in opened.text("#run")
    opened.unfold_listing()
    assert opened.tab.get_by_role("button", name=NASTY).count() == 1


def test_the_scorecard_is_on_the_page_with_its_rules_and_its_figure(opened):
    words = opened.text("#scorecard")
    for verdict in VERDICTS:
        assert verdict in words
    assert "BLTS finds the optimum more often than all others, well-specified" in words
    assert opened.tab.locator("#matrix tbody tr").count() == len(CLAIMS) + 1 + 1  # best overall, and the placebo
    assert "placebo: LinTS×4 outperforms LinTS" in opened.text("#matrix tbody tr.placebo")
    link = opened.tab.locator("#matrix tbody tr").first.locator("a").first
    assert opened.tab.locator(link.get_attribute("href")).count() == 1
    assert RULES["orderings on datasets"] in opened.text("#rules")


def test_a_tooltip_has_the_numbers_of_the_pair(opened):
    for row, column in (("BLTS", "LinTS"), ("ILTCB", "BLUCB")):
        name = alone(row, column)
        one, at = pair(name, row, column), NAMES.index(name)
        opened.tab.mouse.move(*opened.place(name, row, column))
        lines = opened.text("#tooltip").split("\n")
        assert lines[:2] == [name, f"n = 40, d = {2 + at}, K = {2 + at % 3}; {'archive' if at % 2 else 'sklearn'}"]
        assert lines[2] == f"{row}: regret {one.regret_row:.3g} ({one.setting_row})"
        assert lines[3] == f"{column}: regret {one.regret_column:.3g} ({one.setting_column})"
        words = re.fullmatch(r"difference (\S+) ± (\S+) points over 5 shuffles, p = (\S+)", lines[4]).groups()
        difference, error, p = map(float, words)
        assert difference == pytest.approx(100 * (one.regret_row - one.regret_column), abs=0.06)
        assert error == pytest.approx(100 * one.difference_se, abs=0.06)
        assert p == pytest.approx(one.p, rel=0.01)
    opened.tab.mouse.move(1, 1)
    assert opened.tab.locator("#tooltip").is_hidden()


def test_reading_and_protocol_change_what_is_shown(opened):
    opened.tab.select_option("#reading", "literal")
    opened.tab.select_option("#protocol", "held_out")
    name = alone("BLTS", "LinTS")
    one = pair(name, "BLTS", "LinTS", "literal", "held_out")
    opened.tab.fill("#search", name)
    opened.tab.mouse.move(*opened.place(name, "BLTS", "LinTS"))
    assert f"BLTS: regret {one.regret_row:.3g} ({one.setting_row}" in opened.text("#tooltip")
    assert "variance literal, protocol held_out" in opened.tab.get_attribute("#grid", "aria-label")


def test_filters_keep_what_they_say(opened):
    def shown():
        return int(opened.text("#status").split(" ")[0])

    for field, value, number in (("#n-from", "41", 0), ("#n-to", "40", 25), ("#d-from", "20", 7), ("#d-to", "3", 2),
                                 ("#K-from", "4", 8), ("#K-to", "2", 9)):  # fmt: skip
        opened.tab.fill(field, value)
        assert shown() == number, field
        opened.tab.click("button[type=reset]")
        opened.tab.wait_for_function("document.getElementById('status').textContent.startsWith('25 ')")
    opened.tab.select_option("#source", "archive")
    assert shown() == 12
    opened.tab.fill("#search", "SET1")
    assert shown() == 5
    opened.unfold_listing()
    assert opened.tab.locator("#listing tbody button").all_text_contents() == [f"set1{i}" for i in (1, 3, 5, 7, 9)]
    before = opened.pixels()
    opened.tab.fill("#search", "")
    assert opened.pixels() != before


def test_one_pair_can_be_looked_at_in_large(opened):
    small = opened.tab.locator("#grid").bounding_box()["width"]
    opened.tab.select_option("#panels", label="BLTS against LinTS")
    assert opened.tab.locator("#grid").bounding_box()["width"] < small
    name = alone("BLTS", "LinTS")
    opened.tab.mouse.move(*opened.place(name, "BLTS", "LinTS"))
    assert opened.text("#tooltip").startswith(name)


def test_a_brush_in_one_panel_marks_the_same_datasets_in_all(opened):
    inside, outside = alone("BLUCB", "LinUCB"), alone("ILTCB", "LinTS")
    assert inside != outside
    places = [(inside, "ILTCB", "LinTS"), (outside, "ILTCB", "LinTS")]
    before = [opened.colour(*place) for place in places]
    opened.brush(inside, "BLUCB", "LinUCB")
    after = [opened.colour(*place) for place in places]
    assert after[0] >= before[0]
    assert after[1] < before[1] / 2
    assert opened.text("#chosen h3") == inside
    # A frame from a point to the panel's upper left corner, and beyond it: it stays in its panel.
    regrets = {name: pair(name, "BLUCB", "LinUCB") for name in NAMES}
    within = {corner: [name for name, one in regrets.items() if one.regret_row >= regrets[corner].regret_row
                       and one.regret_column <= regrets[corner].regret_column] for corner in NAMES}  # fmt: skip
    corner = max(within, key=lambda name: len(within[name]))
    x, y = opened.place(corner, "BLUCB", "LinUCB")
    opened.tab.mouse.move(x + 2, y + 2)  # regrets are multiples of 1/40, which is 4 pixels
    opened.tab.mouse.down()
    opened.tab.mouse.move(5, 5, steps=3)
    opened.tab.mouse.up()
    assert len(within[corner]) > 2
    assert f"{len(within[corner])} of them marked: {', '.join(within[corner][:12])}" in opened.text("#status")
    opened.tab.focus("#grid")
    opened.tab.keyboard.press("Escape")
    assert opened.tab.locator("#chosen h3").count() == 0
    assert opened.colour(*places[1]) == before[1]


def test_a_click_shows_the_regret_curves_of_the_dataset(opened):
    # Under this protocol a curve ends at the regret; under others it is that of the usual setting.
    opened.tab.select_option("#protocol", "typical")
    name = alone("BLTS", "LinTS")
    opened.tab.fill("#search", name)
    opened.tab.mouse.click(*opened.place(name, "BLTS", "LinTS"))
    assert opened.text("#chosen h3") == name
    lines = opened.tab.locator("#chosen polyline")
    assert [lines.nth(i).get_attribute("data-bandit") for i in range(lines.count())] == BANDITS
    for i, bandit in enumerate(BANDITS):
        other = next(one for one in BANDITS if one != bandit)
        end = float(lines.nth(i).get_attribute("points").split(" ")[-1].split(",")[1])
        assert end == pytest.approx(12 + 228 * (1 - pair(name, bandit, other, protocol="typical").regret_row), abs=0.6)
    assert opened.tab.locator("#chosen tbody tr").count() == 5


def test_keys_go_from_dataset_to_dataset(opened):
    opened.tab.focus("#grid")
    for key, name in (("ArrowRight", NAMES[0]), ("ArrowRight", NAMES[1]), ("End", NAMES[-1]), ("ArrowLeft", NAMES[-2]),
                      ("Home", NAMES[0])):  # fmt: skip
        opened.tab.keyboard.press(key)
        assert opened.text("#chosen h3") == name
    opened.unfold_listing()
    button = opened.tab.locator("#listing tbody button").nth(4)
    button.focus()
    opened.tab.keyboard.press("Enter")
    assert opened.text("#chosen h3") == NAMES[4]
    assert opened.tab.get_attribute("#chosen", "aria-live") == "polite"
    unnamed = "() => [...document.querySelectorAll('input, select')].filter(e => !e.labels.length).length"
    assert opened.tab.evaluate(unnamed) == 0


def test_it_fits_a_phone_and_has_a_dark_side(browser, address):
    phone = Opened(browser, address, is_mobile=True, has_touch=True, color_scheme="dark")
    phone.tab.set_viewport_size({"width": 390, "height": 844})
    wide = phone.tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1] == 390
    background = phone.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(json.loads(f"[{background[4:-1]}]")) < 64
    name = alone("BLTS", "LinTS")
    phone.tab.fill("#search", name[:5])
    for _ in range(10):  # a tap that comes while the grid is laid out anew for the small screen finds nothing
        phone.tab.wait_for_timeout(500)
        phone.tab.evaluate("document.getElementById('grid-box').scrollIntoView()")
        phone.tab.touchscreen.tap(*phone.place(name, "BLTS", "LinTS"))
        phone.tab.wait_for_timeout(500)
        if phone.tab.locator("#chosen h3").count():
            break
    assert phone.text("#chosen h3") == name
    assert phone.complaints == []
    phone.context.close()

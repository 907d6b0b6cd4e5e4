"""The pages in docs/: their examples run, their links lead somewhere, and no open choice is left out."""

import doctest
import re

import pytest
import yaml
from conftest import ROOT

from balanced_bandits.cli.listing import markdown_table
from balanced_bandits.datasets.suite import read_suite
from balanced_bandits.plan.config import checked_config, config_schema

PAGES = sorted((ROOT / "docs").glob("*.md"))
# Keys that the paper answers, or that are no question of its method.
SETTLED = {"seed", "strict", "suite", "datasets", "missing_values", "openml", "own_bandits", "play", "bandits",
           "references", "synthetic.bandits", "synthetic.horizon", "synthetic.alternatives", "sensitivity",
           "multiverse", "readings", "figures"}  # fmt: skip


def test_the_examples_of_the_api_page_do_what_it_says():
    results = doctest.testfile(
        str(ROOT / "docs/api.md"), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL
    )
    assert results.failed == 0
    assert results.attempted > 20


def open_choices(config, schema, prefix=""):
    """The keys of the configuration that are open choices, with their defaults."""
    for key, part in schema["properties"].items():
        name = prefix + key
        if name in SETTLED:
            continue
        if "properties" in part:
            yield from open_choices(config[key], part, f"{name}.")
        else:
            yield name, config[key]


def test_every_open_choice_has_its_argument_and_its_default():
    config = checked_config({})
    expected = dict(open_choices(config, config_schema()))
    expected["bandits.ILTCB"] = config["bandits"]["ILTCB"]
    expected["references.EpsilonGreedy"] = config["references"]["EpsilonGreedy"]
    page = (ROOT / "docs/choices.md").read_text()
    headings = re.findall(r"^### `(.+?)`: `(.+)`$", page, flags=re.MULTILINE)
    assert {name: yaml.safe_load(default) for name, default in headings} == expected
    for section in re.split(r"^##+ .*$", page, flags=re.MULTILINE)[1:]:
        assert len(section.split()) > 5 or section.strip() == ""


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_links_lead_to_files(page):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / link).exists(), link


def test_the_readme_leads_to_every_page():
    readme = (ROOT / "README.md").read_text()
    for page in PAGES:
        assert f"(docs/{page.name})" in readme, page.name


def test_the_page_on_registry300_lists_the_suite_as_it_is():
    page = (ROOT / "docs/registry300.md").read_text()
    assert page.endswith("\n".join(markdown_table(read_suite(ROOT / "workflow/suites/registry300.tsv"))) + "\n")

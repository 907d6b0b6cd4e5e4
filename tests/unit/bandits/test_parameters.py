"""The parameters of the bandits: one table for constructors, their documentation, and the configuration."""

import inspect
import subprocess
import sys

import jsonschema
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import balanced_bandits
from balanced_bandits.bandits import BANDITS, bandit_class
from balanced_bandits.bandits.parameters import DEFAULTS, PARAMETERS, Number, NumberOrWord, OneOf, Schedule, Several


@pytest.mark.parametrize("name", BANDITS)
def test_the_registry_knows_what_the_constructor_takes(name):
    assert bandit_class(name).parameters() == BANDITS[name].parameters


@pytest.mark.parametrize("name", BANDITS)
def test_a_constructor_names_its_parameters_with_types_defaults_and_meanings(name):
    cls = bandit_class(name)
    taken = inspect.signature(cls).parameters
    documentation = inspect.getdoc(cls)
    for parameter in cls.parameters():
        assert taken[parameter].kind is inspect.Parameter.KEYWORD_ONLY
        assert taken[parameter].annotation is not inspect.Parameter.empty
        assert taken[parameter].default == DEFAULTS[parameter]
        assert f"\n{parameter} : " in documentation
        assert PARAMETERS[parameter].meaning.split(":")[0].split(",")[0][:40] in documentation


@pytest.mark.parametrize("name", BANDITS)
def test_parameters_of_other_bandits_are_refused(name):
    cls = bandit_class(name)
    for foreign in set(PARAMETERS) - set(cls.parameters()):
        with pytest.raises(TypeError, match=f"{name} has no parameter '{foreign}'"):
            cls(2, 1, **{foreign: DEFAULTS[foreign]})
        with pytest.raises(TypeError, match=f"{name} has no parameter '{foreign}'"):
            cls.checked({foreign: DEFAULTS[foreign]})


def test_a_misspelt_parameter_gets_the_nearest_name():
    with pytest.raises(TypeError, match=r"BLTS has no parameter 'gama'\. Did you mean 'gamma'"):
        balanced_bandits.BLTS(2, 1, gama=0.1)


def test_the_bandits_can_be_imported_from_the_package_which_costs_nothing_before():
    assert balanced_bandits.BLTS is bandit_class("BLTS")
    assert {name for name in dir(balanced_bandits) if name in BANDITS} == set(BANDITS)
    with pytest.raises(AttributeError, match="no attribute 'BLST'"):
        balanced_bandits.BLST  # noqa: B018
    code = "import sys, balanced_bandits; print([name for name in ('numba', 'numpy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


anything = st.one_of(
    st.none(), st.booleans(), st.text(max_size=3), st.floats(), st.integers(-10, 10**400), st.sampled_from([0, 1, 0.5]),
    st.lists(st.floats(allow_nan=False), max_size=3), st.just("every_step"), st.just("loo"),
    st.dictionaries(st.sampled_from(["batch", "geometric", "x"]), st.floats(-1, 3) | st.integers(-1, 3), max_size=2),
)  # fmt: skip
KINDS = [Number(0), Number(0, 1, above=True), Number(0, 1, above=True, below=True), Number(2, whole=True),
         OneOf("loo", "gcv"), Schedule(),
         NumberOrWord(Number(2, whole=True), "loo"),
         Several(Number(0, above=True))]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.words)
@given(value=anything)
def test_what_the_configuration_accepts_the_bandits_accept(kind, value):
    """The other way round not always: as an argument, 2.0 is a whole number, too, and lists may be tuples."""
    validator = jsonschema.Draft202012Validator(kind.schema())
    finite = not isinstance(value, float) or abs(value) <= sys.float_info.max
    if isinstance(value, list):
        finite = all(abs(number) <= sys.float_info.max for number in value)
    if not finite or (isinstance(value, int) and abs(value) > sys.float_info.max) or not validator.is_valid(value):
        return
    kind.read(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Number(0), float("nan")), (Number(0), float("inf")), (Number(0), -1), (Number(0), "1"), (Number(0), None),
        (Number(0), True), (Number(0, 1, above=True), 0), (Number(0, 1), 1.01), (Number(2, whole=True), 2.5),
        (Number(0, 1, above=True, below=True), 0), (Number(0, 1, below=True), 1),
        (OneOf("a", "b"), "c"), (OneOf("a", "b"), ["a"]), (Several(Number(0)), []), (Several(Number(0)), [1, 1]),
        (Several(Number(0)), 1), (Schedule(), "seldom"), (Schedule(), {}), (Schedule(), {"batch": 0}),
        (Schedule(), {"batch": 1, "geometric": 1}), (Schedule(), {"weekly": 1}),
    ],
    ids=lambda given: getattr(given, "words", str(given)),
)  # fmt: skip
def test_what_is_none_of_a_kind_is_refused(kind, value):
    with pytest.raises((TypeError, ValueError, KeyError, AttributeError)):
        kind.read(value)

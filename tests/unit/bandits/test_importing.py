"""Bandits of one's own: how they are found, what is said of wrong ones, and that they are played as others are."""

import sys

import numpy as np
import pytest
import yaml
from conftest import ROOT

from balanced_bandits.bandits import importing
from balanced_bandits.bandits.importing import bandit_at
from balanced_bandits.bandits.lints import LinTS
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.streams import stream
from balanced_bandits.plan import provenance
from balanced_bandits.plan.config import checked_config

EXAMPLE = ROOT / "docs/examples/my_bandits.py"
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working folder; modules that a test imports from it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def write(folder, body, name="mine"):
    (folder / f"{name}.py").write_text(body)


BODY = """
class Mine:
    def __init__(self, {parameters}):
        self.seen = []
    def choose(self, x):
        return {answer}
    def update(self, x, arm, reward):
        self.seen.append((x.tolist(), arm, reward))
"""


def body(parameters="n_arms", answer="0"):
    return BODY.format(parameters=parameters, answer=answer)


def play(path, choices=None, **changes):
    rounds = {"contexts": np.arange(8.0).reshape(4, 2), "rewards": np.eye(2)[[0, 1, 1, 0]], "order": [2, 0, 3]}
    return next(bandit_at(path).play([choices or {}], streams=[stream(0, "play")], **(rounds | changes)))


class TestFinding:
    def test_a_class_of_a_file_in_the_working_folder(self, here):
        write(here, body())
        assert bandit_at("mine:Mine").cls.__name__ == "Mine"

    def test_a_file_here_hides_no_package(self, here):
        write(here, body(), "wave")  # the name of a module of Python that nothing here has imported yet
        with pytest.raises(InputError, match=r"wave:Mine: there is no class Mine in"):
            bandit_at("wave:Mine")

    def test_no_such_module(self, here):
        with pytest.raises(
            InputError, match=r"absent:Mine: the module absent can't be imported from .*No module named"
        ):
            bandit_at("absent:Mine")

    def test_a_module_that_fails(self, here):
        write(here, "import numpy\nnumpy.absent")
        with pytest.raises(InputError, match=r"mine:Mine: the module mine can't be imported .*AttributeError"):
            bandit_at("mine:Mine")

    @pytest.mark.parametrize("text", ["", "Mine = 3"])
    def test_no_such_class(self, here, text):
        write(here, text)
        with pytest.raises(InputError, match=r"mine:Mine: there is no class Mine in .*mine\.py"):
            bandit_at("mine:Mine")

    @pytest.mark.parametrize("method", ["choose", "update"])
    def test_a_missing_method(self, here, method):
        write(here, body().replace(f"def {method}", f"def {method}_it"))
        with pytest.raises(InputError, match=f"mine:Mine: the class has no method {method};"):
            bandit_at("mine:Mine")

    def test_a_subclass_plays_by_its_compiled_loops(self, here):
        write(here, "from balanced_bandits.bandits.lints import LinTS\nclass Mine(LinTS): pass")
        assert issubclass(bandit_at("mine:Mine"), LinTS)
        importing.check("mine:Mine", {"alpha": 1.0}, {})
        with pytest.raises(InputError, match="mine:Mine: Mine has no parameter 'alfa'"):
            importing.check("mine:Mine", {"alfa": 1.0}, {})

    def test_results_depend_on_its_file_and_on_those_here_and_in_the_package_that_it_imports(self, here):
        write(here, "import helper, json\nfrom balanced_bandits.estimation import ridge\n" + body())
        write(here, "import deeper", "helper")
        write(here, "", "deeper")
        found = {path.name for path in provenance.sources(importing.module_file("mine:Mine"))}
        assert {"mine.py", "helper.py", "deeper.py", "ridge.py"} <= found
        assert "linear.py" not in found


class TestConstructor:
    def test_is_given_what_it_names(self, here):
        write(here, body("lams, *, n_features, epsilon, other=3"))
        importing.check("mine:Mine", {"epsilon": 0.1}, {"lams": [1.0], "intercept": "none"})
        assert play("mine:Mine", {"epsilon": 0.1, "lams": [1.0], "intercept": "none"}).arms.tolist() == [0, 0, 0]

    def test_a_parameter_of_the_grid_that_it_does_not_name(self, here):
        write(here, body())
        with pytest.raises(InputError, match="mine:Mine: its constructor has no parameter 'epsilon'"):
            importing.check("mine:Mine", {"epsilon": 0.1}, {})
        write(here, body("**anything"), "theirs")
        importing.check("theirs:Mine", {"epsilon": 0.1}, {})

    def test_a_parameter_that_nobody_gives(self, here):
        write(here, body("n_arms, colour"))
        with pytest.raises(InputError, match=r"can't be called .*'colour'.*n_arms, n_features, seed"):
            importing.check("mine:Mine", {}, {})


class TestPlaying:
    @pytest.mark.parametrize("answer", ["1", "(1, [0.5, 0.5])", "__import__('numpy').int64(1)"])
    def test_sees_the_rows_in_order_and_the_rewards_of_its_arms(self, here, answer):
        write(here, body(answer=answer))
        bandit = bandit_at("mine:Mine").with_stream(stream(0, "play"), 2, 2, {})
        contexts, rewards = np.arange(8.0).reshape(4, 2), np.eye(2)[[0, 1, 1, 0]]
        assert list(importing.steps(bandit, contexts, rewards, np.array([2, 0, 3]), np.array([0]))) == [0, 1, 1]
        assert bandit.seen == [([4.0, 5.0], 0, 0.0), ([0.0, 1.0], 1, 0.0), ([6.0, 7.0], 1, 0.0)]

    @pytest.mark.parametrize("answer", ["2", "-1", "0.5", "None", "True", "'0'", "(0, 1, 2)", "x"])
    def test_an_answer_that_is_no_arm(self, here, answer):
        write(here, body(answer=answer))
        with pytest.raises(InputError, match=r"Mine\.choose returned .*, but must return an arm .*from 0 to 1\)"):
            play("mine:Mine")

    def test_a_bandit_that_spoils_its_context_spoils_no_other_round(self, here):
        write(here, body(answer="x.fill(9.0) or 0"))
        contexts = np.arange(8.0).reshape(4, 2)
        play("mine:Mine", contexts=contexts)
        assert contexts.tolist() == np.arange(8.0).reshape(4, 2).tolist()

    def test_the_synthetic_example_asks_for_coefficients(self, here):
        write(here, body())
        with pytest.raises(InputError, match=r"mine:Mine: the synthetic example needs `coefficients`.*\(2, 3\)"):
            play("mine:Mine", snapshots=[0])

    def test_rounds_that_cannot_be_played_are_refused(self, here):
        write(here, body())
        with pytest.raises(ValueError, match="order must be"):
            play("mine:Mine", order=[4])


class TestExample:
    """The example of docs/own_bandit.md."""

    @pytest.fixture
    def boltzmann(self, here):
        (here / EXAMPLE.name).write_text(EXAMPLE.read_text())
        return bandit_at("my_bandits:Boltzmann")

    def problem(self, n=400):
        rng = np.random.default_rng(1)
        contexts = rng.standard_normal((n, 2))
        return contexts, np.eye(2)[(contexts[:, 0] > 0).astype(int)]

    def test_is_short_and_shown_in_the_docs(self):
        code = EXAMPLE.read_text()
        assert len(code.splitlines()) <= 32
        assert f"```python\n{code}```" in (ROOT / "docs/own_bandit.md").read_text()

    def test_learns(self, boltzmann):
        contexts, rewards = self.problem()
        run = next(boltzmann.play([{"temperature": 0.05}], contexts, rewards, range(400), [stream(0, "play")]))
        right = rewards[np.arange(400), run.arms]
        assert right[-200:].mean() > 0.9

    def test_its_estimate_is_that_of_a_ridge_regression(self, boltzmann):
        contexts, rewards = self.problem(60)
        bandit = boltzmann.with_stream(stream(0, "play"), 2, 2, {"temperature": 0.5})
        arms = np.array(list(importing.steps(bandit, contexts, rewards, np.arange(60))))
        z = np.column_stack([np.ones(60), contexts])[arms == 1]
        expected = np.linalg.solve(z.T @ z + np.eye(3), z.T @ rewards[arms == 1, 1])
        np.testing.assert_allclose(bandit.coefficients[1], expected)

    def test_snapshots_and_seeds(self, boltzmann):
        contexts, rewards = self.problem(50)
        settings = [{"temperature": 0.5}] * 3
        streams = [stream(0, "a"), stream(0, "a"), stream(0, "b")]
        runs = list(boltzmann.play(settings, contexts, rewards, range(50), streams, snapshots=[0, 20, 20, 50]))
        assert runs[0].coefficients.shape == (4, 2, 3)
        assert not runs[0].coefficients[0].any()
        np.testing.assert_array_equal(runs[0].coefficients[1], runs[0].coefficients[2])
        assert (runs[0].coefficients[2] != runs[0].coefficients[3]).any()
        np.testing.assert_array_equal(runs[0].arms, runs[1].arms)
        assert (runs[0].arms != runs[2].arms).any()


class TestConfiguration:
    def given(self, path="mine:Mine", name="Mine", grid=None):
        return {"own_bandits": {name: path}, "bandits": {"LinTS": {"alpha": [1]}, "Mine": grid or {}}}

    def test_a_bandit_of_ones_own_has_a_grid(self):
        config = checked_config(self.given(grid={"epsilon": [0.1, "0.2"]}))
        assert config["bandits"]["Mine"] == {"epsilon": [0.1, 0.2]}

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"path": "mine"}, ["own_bandits.Mine is 'mine'", "MODULE:CLASS"]),
            ({"path": "a b:Mine"}, ["own_bandits.Mine is 'a b:Mine'"]),
            ({"name": "Mi|ne"}, ["own_bandits is 'Mi|ne'", "letters, digits", "unknown key bandits.Mine"]),
            ({"grid": {"epsilon": 0.1}}, ["bandits.Mine.epsilon is 0.1", "a list of different numbers"]),
            ({"grid": {"epsilon": ["low"]}}, ["bandits.Mine.epsilon.0 is 'low'", "a number"]),
        ],
        ids=str,
    )
    def test_what_is_wrong_is_named(self, changes, words):
        with pytest.raises(InputError) as caught:
            checked_config(self.given(**changes))
        for word in words:
            assert word in str(caught.value)

    def test_a_bandit_that_nobody_knows(self):
        with pytest.raises(InputError, match=r"unknown key bandits\.Mine"):
            checked_config({"bandits": {"LinTS": {"alpha": [1]}, "Mine": {}}})

    def test_the_committed_configuration_has_none(self):
        assert yaml.safe_load((ROOT / "config.yaml").read_text())["own_bandits"] == {}

"""Results that can't be results: each is refused with its name before a table or a figure is made of it."""

import re

import numpy as np
import pytest

from balanced_bandits.analysis.classification.collect import collect
from balanced_bandits.analysis.synthetic.traces import read_traces
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import write_arrays

N, K = 21, 3
SHAPE = (2, 3, 2, 2)  # readings, settings, copies, shuffles


@pytest.fixture
def result():
    """A result of the classification experiment as a job writes it, with choices and labels by chance."""
    rng = np.random.default_rng(0)
    chosen, labels = rng.integers(K, size=(*SHAPE, N)), rng.integers(K, size=N)
    rounds = np.array([1, 2, 5, 10, 21])
    dataset = {"name": "ant", "source": "file", "locator": "x", "licence": "l", "sha256": "s", "n": N, "d": 2, "K": K,
               "rejected": None}  # fmt: skip
    record = {"bandit": "BLTS", "readings": ["residual", "literal"], "dataset": dataset,
              "settings": [{"alpha": 1.0}, {"alpha": 2.0}, {"alpha": 3.0}],
              "options": {"copies": SHAPE[2], "shuffles": SHAPE[3]}}  # fmt: skip
    arrays = {
        "rounds": rounds, "curve": np.cumsum(chosen != labels, axis=-1)[..., rounds - 1].astype(np.int32),
        "pulls": np.stack([(chosen == arm).sum(axis=-1) for arm in range(K)], axis=-1).astype(np.int32),
        "penalties": rng.choice([0.1, 1.0, np.nan], size=(*SHAPE, K)), "clipped": rng.random(SHAPE),
    }  # fmt: skip
    return record, arrays


def test_a_result_as_jobs_write_it_is_collected_with_regrets_between_0_and_1(result, tmp_path):
    record, arrays = result
    write_arrays(tmp_path / "a.npz", record, **arrays)
    runs = collect([tmp_path / "a.npz"], {"ant": "ant"}).runs
    assert len(runs) == np.prod(SHAPE)
    assert runs["regret"].between(0, 1).all()


def test_a_bandit_without_propensities_and_penalties_has_none(result, tmp_path):
    record, arrays = result
    nothing = {name: np.full_like(arrays[name], np.nan) for name in ("penalties", "clipped")}
    write_arrays(tmp_path / "a.npz", record, **arrays | nothing)
    assert collect([tmp_path / "a.npz"], {"ant": "ant"}).runs["clipped"].isna().all()


def one(array, value, at=(1, 2, 1, 0)):
    changed = array.copy()
    changed[at] = value
    return changed


RUNS = "its runs are not those of its readings, settings, copies and shuffles"
PULLS = "the choices of the 3 arms are not 21 in all"
ROUNDS = "the regret is not that of 21 rounds"
REGRET = "the regret falls, or grows by more than one per round"
CLIPPED = "shares of clipped propensities are not between 0 and 1"
PENALTIES = "penalties are not positive and finite"


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("curve", lambda a: a[:1], RUNS),
        ("curve", lambda a: a[:, :2], RUNS),
        ("curve", lambda a: a[:, :, :1], RUNS),
        ("curve", lambda a: a[:, :, :, :1], RUNS),
        ("curve", lambda a: a[0], RUNS),
        ("curve", lambda a: a[..., :0], RUNS),
        ("curve", lambda a: a[..., :4], ROUNDS),
        ("curve", lambda a: one(a, [0, 0, 0, 7, 7]), REGRET),  # seven wrong in five rounds
        ("curve", lambda a: one(a, [2, 2, 2, 2, 2]), REGRET),
        ("curve", lambda a: one(a, [1, 1, 3, 2, 5]), REGRET),
        ("curve", lambda a: one(a, [-1, 0, 0, 0, 0]), REGRET),
        ("curve", lambda a: one(a.astype(float), np.nan), REGRET),
        ("rounds", lambda a: a[:-1], ROUNDS),
        ("rounds", lambda a: one(a, 20, -1), ROUNDS),
        ("rounds", lambda a: a[:0], "IndexError"),
        ("pulls", lambda a: one(a, 8), PULLS),
        ("pulls", lambda a: one(a, [-1, 11, 11]), PULLS),
        ("pulls", lambda a: a[..., :2], PULLS),
        ("pulls", lambda a: a[:, :2], PULLS),
        ("clipped", lambda a: one(a, 1.01), CLIPPED),
        ("clipped", lambda a: one(a, -0.01), CLIPPED),
        ("clipped", lambda a: one(a, np.nan), CLIPPED),
        ("clipped", lambda a: a[..., :1], CLIPPED),
        ("penalties", lambda a: one(a, np.inf), PENALTIES),
        ("penalties", lambda a: one(a, 0.0), PENALTIES),
        ("penalties", lambda a: a[..., :2], PENALTIES),
        *((name, lambda a: None, f"KeyError: '{name}'") for name in ("rounds", "curve", "pulls", "clipped")),
    ],
)
def test_a_wrong_array_is_refused(result, tmp_path, name, change, said):
    record, arrays = result
    arrays[name] = change(arrays[name])
    path = tmp_path / "a.npz"
    write_arrays(path, record, **{key: array for key, array in arrays.items() if array is not None})
    with pytest.raises(InputError, match=f"^{re.escape(str(path))} is not a valid result .*delete it") as caught:
        collect([path], {"ant": "ant"})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [{"dataset": None}, {"readings": 3}, {"settings": []}, {"dataset": {"rejected": None, "n": "many", "K": 2}},
     {"options": {"copies": 2}}, {"options": {"copies": 2, "shuffles": 3}}],
)  # fmt: skip
def test_a_wrong_record_is_refused(result, tmp_path, change):
    record, arrays = result
    write_arrays(tmp_path / "a.npz", record | change, **arrays)
    with pytest.raises(InputError, match=r"a\.npz is not a valid result"):
        collect([tmp_path / "a.npz"], {"ant": "ant"})


def test_a_result_in_the_place_of_another_is_refused(result, tmp_path):
    record, arrays = result
    for name in ("a.npz", "b.npz"):
        write_arrays(tmp_path / name, record, **arrays)
    with pytest.raises(InputError, match=r"b\.npz holds BLTS on ant, as .*a\.npz does; delete it"):
        collect([tmp_path / "a.npz", tmp_path / "b.npz"], {"ant": "ant"})
    with pytest.raises(InputError, match=r"a\.npz holds BLTS on ant, which was not asked for; delete it"):
        collect([tmp_path / "a.npz"], {"bee": "bee"})


def test_results_of_a_dataset_with_other_shuffles_or_other_data_are_refused(result, tmp_path):
    """Bandits are compared shuffle by shuffle; a shuffle that one of them lacks would count as a loss."""
    record, arrays = result
    write_arrays(tmp_path / "a.npz", record, **arrays)
    fewer = {name: array[:, :, :, :1] if array.ndim > 1 else array for name, array in arrays.items()}
    write_arrays(
        tmp_path / "b.npz", record | {"bandit": "LinTS", "options": {"copies": 2, "shuffles": 1}}, **fewer
    )  # fmt: skip
    write_arrays(
        tmp_path / "c.npz", record | {"bandit": "LinTS", "dataset": record["dataset"] | {"sha256": "t"}}, **arrays
    )
    for other in ("b.npz", "c.npz"):
        with pytest.raises(InputError, match=rf"{other} is not of the same data and shuffles as other results of ant"):
            collect([tmp_path / "a.npz", tmp_path / other], {"ant": "ant"})


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("agreement_truth", lambda a: one(a, 1.1, (0, 1, 2)), "the agreement with an optimum"),
        ("agreement_truth", lambda a: one(a, np.nan, (0, 1, 2)), "the agreement with an optimum"),
        ("agreement_truth", lambda a: None, "the agreement with an optimum"),
        ("regret", lambda a: one(a, np.nan, (0, 1, 2)), "the regret is not finite, or decreases"),
        ("regret", lambda a: a[..., ::-1], "the regret is not finite, or decreases"),
        ("regret", lambda a: a[:1], "its runs do not match its settings and rounds"),
        ("first_order", lambda a: a - 1, "the share of contexts that the first fit puts in order"),
        ("first_order", lambda a: a.T, "the share of contexts that the first fit puts in order"),
    ],
)
def test_a_wrong_result_of_the_synthetic_example_is_refused(tmp_path, name, change, said):
    record = {"bandit": "BLTS", "specification": "well", "settings": [{"alpha": 1.0}, {"alpha": 2.0}]}
    rng = np.random.default_rng(0)
    good = {"rounds": np.array([0, 5, 9]), "regret": np.cumsum(rng.random((2, 4, 3)), axis=-1),
            "agreement_truth": rng.random((2, 4, 3)), "first_order": rng.random((2, 4))}  # fmt: skip
    path = tmp_path / "a.npz"
    write_arrays(path, record, **good)
    assert read_traces(path).bandit == "BLTS"
    wrong = good | {name: change(good[name])}
    write_arrays(path, record, **{key: array for key, array in wrong.items() if array is not None})
    with pytest.raises(InputError, match=r"a\.npz is not a valid result .*delete it and run again") as caught:
        read_traces(path)
    assert said in str(caught.value)

"""Results that can't be results: each is refused with its name before a table or a figure is made of it."""

import re

import numpy as np
import pytest

from balanced_bandits.analysis.classification.collect import collect
from balanced_bandits.analysis.synthetic.traces import read_traces
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import write_arrays

N, K = 21, 3
SHAPE = (2, 3, 2, 2)  # readings, settings, repeats, shuffles


@pytest.fixture
def result():
    """A result of the classification experiment as a job writes it, with choices and labels by chance."""
    rng = np.random.default_rng(0)
    chosen, labels = rng.integers(K, size=(*SHAPE, N)), rng.integers(K, size=N)
    rounds = np.array([1, 2, 5, 10, 21])
    right = chosen == labels
    dataset = {"name": "ant", "source": "file", "locator": "x", "licence": "l", "sha256": "s", "n": N, "d": 2, "K": K,
               "rejected": None}  # fmt: skip
    record = {"bandit": "BLTS", "readings": ["residual", "literal"], "dataset": dataset,
              "settings": [{"alpha": 1.0}, {"alpha": 2.0}, {"alpha": 3.0}]}  # fmt: skip
    arrays = {
        "correct": np.packbits(right, axis=-1), "rounds": rounds, "curve": np.cumsum(~right, axis=-1)[..., rounds - 1],
        "pulls": np.stack([(chosen == arm).sum(axis=-1) for arm in range(K)], axis=-1).astype(np.int32),
        "penalties": rng.choice([0.1, 1.0, np.nan], size=(*SHAPE, K)), "clipped": rng.random(SHAPE),
    }  # fmt: skip
    return record, arrays


def test_a_result_as_jobs_write_it_is_collected_with_regrets_between_0_and_1(result, tmp_path):
    record, arrays = result
    write_arrays(tmp_path / "a.npz", record, **arrays)
    runs, _ = collect([tmp_path / "a.npz"], {"ant": "ant"})
    assert len(runs) == np.prod(SHAPE)
    assert runs["regret"].between(0, 1).all()


def one(array, value, at=(1, 2, 1, 0)):
    changed = array.copy()
    changed[at] = value
    return changed


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("correct", lambda a: a[:, :2], "do not match its readings and settings"),
        ("correct", lambda a: a[:, :, :0], "do not match its readings and settings"),
        ("correct", lambda a: a.astype(float), "it does not say which of 21 rounds were correct"),
        ("correct", lambda a: a[..., :2], "it does not say which of 21 rounds were correct"),
        ("correct", lambda a: one(a, 255), "it does not say which of 21 rounds were correct"),  # 3 bits are no rounds
        ("correct", lambda a: one(a, a[1, 2, 1, 0, 0] ^ 4, (1, 2, 1, 0, 0)), "the final regret does not match"),
        ("pulls", lambda a: one(a, 8), "the pulls of the 3 arms do not sum to 21"),
        ("pulls", lambda a: one(a, [-1, 11, 11]), "the pulls of the 3 arms do not sum to 21"),
        ("pulls", lambda a: a[..., :2], "the pulls of the 3 arms do not sum to 21"),
        ("curve", lambda a: a + 1, "the final regret does not match"),
        ("curve", lambda a: one(a, 99, (0, 0, 0, 0, 1)), "the regret decreases, or grows by more than one per round"),
        ("curve", lambda a: one(a, -1, (0, 0, 0, 0, 0)), "the regret decreases, or grows by more than one per round"),
        ("rounds", lambda a: a[:-1], "the final regret does not match"),
        ("clipped", lambda a: one(a, 1.01), "shares of clipped propensities are not between 0 and 1"),
        ("clipped", lambda a: one(a, np.nan), "shares of clipped propensities are not between 0 and 1"),
        ("penalties", lambda a: one(a, np.inf), "penalties are not positive and finite"),
        ("penalties", lambda a: one(a, 0.0), "penalties are not positive and finite"),
        ("pulls", lambda a: None, "KeyError: 'pulls'"),
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
    [{"dataset": None}, {"readings": 3}, {"settings": []}, {"dataset": {"rejected": None, "n": "many", "K": 2}}],
)
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

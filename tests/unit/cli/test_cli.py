"""The console script: what it prints, that it plays what the pipeline plays, and what it says of bad input."""

import io
import shutil
import subprocess
import sys

import numpy as np
import pytest
import yaml
from conftest import ROOT

from balanced_bandits.bandits import BANDITS, import_path
from balanced_bandits.cli import COMMANDS, doctor, main, parser, terminal
from balanced_bandits.cli.terminal import Progress, plot
from balanced_bandits.core.files import read_arrays
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.prepare import Preparation, prepare
from balanced_bandits.datasets.suite import Row
from balanced_bandits.simulation import classification
from balanced_bandits.vocabulary import READINGS


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working folder with a data file; what its colour says of the class is noisy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    rng = np.random.default_rng(0)
    rows = [f"{u:.3f},{'red' if u + v > 0 else 'blue'},{'yes' if u > 0 else 'no'}" for u, v in rng.normal(size=(80, 2))]
    (tmp_path / "my data.csv").write_text("\n".join(["size,colour,label", *rows]) + "\n")
    return tmp_path


def call(monkeypatch, capsys, *arguments):
    """Call the console script; gives what it printed, and the sentence it ended with, if any."""
    monkeypatch.setattr(sys, "argv", ["balanced-bandits", *arguments])
    sentence = ""
    try:
        main()
    except SystemExit as end:
        sentence = str(end)
    return capsys.readouterr().out, sentence


def test_help_has_examples_that_are_commands_and_loads_nothing_heavy():
    code = "import sys; from balanced_bandits.cli import parser; parser().format_help(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not {"numpy", "pandas", "numba", "yaml", "sklearn"} & set(done.stdout.split())
    examples = parser().epilog.splitlines()[1:]
    for line in examples:
        words = line.split("  ")[1].split(">")[0].split()
        assert words[0] == "balanced-bandits"
        parser().parse_args(words[1:])
    assert {line.split()[1] for line in examples} == set(COMMANDS)


class TestList:
    def test_suites_and_bandits_have_a_line_each(self, here, monkeypatch, capsys):
        (here / "config.yaml").write_text(yaml.safe_dump({"own_bandits": {"Mine": "mine:Mine"}}))
        printed, _ = call(monkeypatch, capsys, "list")
        lines = dict(line.split(maxsplit=1) for line in printed.splitlines() if line.startswith("  "))
        suites = {"openml300", "registry300", "registry60"}
        assert set(lines) == {*suites, *BANDITS, "Mine"}
        assert lines["openml300"].startswith("300 datasets")
        assert lines["BLTS"].startswith("balanced linear Thompson sampling")
        assert lines["Mine"] == "your own, mine:Mine"

    def test_the_datasets_of_a_suite(self, here, monkeypatch, capsys):
        printed, _ = call(monkeypatch, capsys, "list", "registry60")
        assert ["iris", "150", "4", "3", "sklearn"] in [line.split()[:5] for line in printed.splitlines()]
        assert "no such suite" in call(monkeypatch, capsys, "list", "absent")[1]


class TestRun:
    @pytest.mark.parametrize("standardise", ["whole", "running"])
    def test_plays_what_the_pipeline_plays(self, here, monkeypatch, capsys, standardise):
        defaults = yaml.safe_load((ROOT / "config.yaml").read_text())
        (here / "config.yaml").write_text(yaml.safe_dump({"standardise": standardise}))
        digest = sha256((here / "my data.csv").read_bytes())
        row = Row("my_data", "file", "my data.csv", "label", digest, "none", 80, 2, 2)
        prepare(row, here / "my data.csv", here / "my_data.npz", Preparation(standardise=standardise))
        choices = defaults["ridge"] | {"schedule": defaults["schedule"]}
        options = {"seed": 7, "shuffles": 2, "copies": 1, "readings": {"literal": READINGS["literal"].choices},
                   "choices": choices, "grid": {"alpha": [0.5]}}  # fmt: skip
        classification.play(here / "my_data.npz", "LinTS", import_path("LinTS"), options, here / "run.npz")
        capsys.readouterr()
        _, arrays = read_arrays(here / "run.npz")
        regrets = arrays["curve"][0, 0, 0, :, -1] / 80
        printed, _ = call(
            monkeypatch, capsys, "run", "my data.csv", "--target", "label", "--bandit", "LinTS", "--alpha", "0.5",
            "--reading", "literal", "--seed", "7", "--shuffles", "2",
        )  # fmt: skip
        assert "LinTS alpha=0.5 plays my_data: 80 rounds, 2 features, 2 arms" in printed
        low, high = sorted(regrets)
        assert f"normalised regret  {regrets.mean():.4f}, from {low:.4f} to {high:.4f} over 2 shuffles" in printed
        pulls = arrays["pulls"][0, 0, 0].mean(axis=0)
        assert f"{'yes' if pulls[1] > pulls[0] else 'no'}: {pulls.max():g}" in printed
        assert "*" in printed.split("cumulative regret")[1]

    def test_a_dataset_of_a_suite_and_the_configuration_of_the_folder(self, here, monkeypatch, capsys):
        shutil.copy(ROOT / "docs/examples/my_bandits.py", here)
        (here / "config.yaml").write_text(
            yaml.safe_dump({"own_bandits": {"Mine": "my_bandits:Boltzmann"}, "shuffles": 2})
        )
        command = ["run", "iris", "--set", "temperature=0.1"]
        by_name, _ = call(monkeypatch, capsys, *command, "--bandit", "Mine")
        assert "Mine temperature=0.1 plays iris: 150 rounds, 4 features, 3 arms" in by_name
        assert "over 2 shuffles" in by_name
        by_path, _ = call(monkeypatch, capsys, *command, "--bandit", "my_bandits:Boltzmann")
        assert "Boltzmann temperature=0.1 plays iris" in by_path
        (here / "config.yaml").write_text("max_rounds: 40\nmax_features: 2")
        capped, _ = call(monkeypatch, capsys, *command, "--bandit", "my_bandits:Boltzmann")
        assert "plays iris: 40 rounds, 2 features" in capped

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["iriss"], ["there is no dataset 'iriss'", "did you mean iris"]),
            (["zzzz"], ["there is no dataset 'zzzz'", "balanced-bandits list registry60"]),
            (["iris", "--suite", "absent"], ["no such suite"]),
            (["my data.csv"], ["my data.csv: the class column is unknown; name it with --target"]),
            (["absent.csv", "--target", "label"], ["absent.csv can't be read"]),
            (["my data.csv", "--target", "kind"], ["must have exactly one column 'kind'"]),
            (["one_class.csv", "--target", "label"], ["one_class can't be played: all rows are of one class"]),
            (["iris", "--bandit", "BLST"], ["there is no bandit 'BLST'; did you mean BLTS?"]),
            (["iris", "--bandit", "my:Own"], ["my:Own: the module my can't be imported"]),
            (["iris", "--gamma", "2"], ["BLTS: gamma is 2.0, but must be a number above 0 and at most 1"]),
            (
                ["iris", "--bandit", "ILTCB", "--alpha", "1"],
                ["ILTCB has no parameter 'alpha'. Its parameters are mu_scale"],
            ),
            (["iris", "--set", "criterion=aic"], ["BLTS: criterion is 'aic', but must be loo, gcv, kfold or fixed"]),
            (["iris", "--set", "alpha=high"], ["BLTS: alpha is 'high', but must be a number of at least 0"]),
            (["iris", "--set", "criterion"], ["--set criterion: it must be NAME=VALUE"]),
            (["iris", "--set", "lams=["], ["--set lams=[: it must be NAME=VALUE"]),
            (["iris", "--reading", "big"], ["--reading is 'big', but must be one of residual, literal, plain, mean"]),
            (["iris", "--bandit", "ILTCB", "--reading", "literal"], ["ILTCB uses no variance"]),
            (["iris", "--shuffles", "0"], ["shuffles is 0"]),
            (["iris", "--seed", "-1"], ["seed is -1"]),
        ],
        ids=str,
    )
    def test_bad_input_ends_in_a_sentence(self, here, monkeypatch, capsys, arguments, words):
        (here / "one_class.csv").write_text("size,label\n" + "".join(f"{i},same\n" for i in range(20)))
        _, sentence = call(monkeypatch, capsys, "run", *arguments)
        assert sentence.startswith("error: ")
        for word in words:
            assert word in sentence

    def test_a_configuration_that_is_wrong_is_named(self, here, monkeypatch, capsys):
        (here / "config.yaml").write_text("shufles: 3")
        assert "unknown key shufles" in call(monkeypatch, capsys, "run", "iris")[1]
        (here / "config.yaml").write_text("shuffles: [")
        assert "config.yaml can't be read" in call(monkeypatch, capsys, "run", "iris")[1]
        (here / "config.yaml").write_text("shuffles")
        assert "config.yaml is str, but must be a mapping" in call(monkeypatch, capsys, "run", "iris")[1]


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestProgress:
    def test_shows_the_share_and_the_time_left_on_a_terminal(self, monkeypatch):
        clock = iter([100.0, 110.0, 120.0])
        monkeypatch.setattr(terminal.time, "monotonic", lambda: next(clock))
        screen = Terminal()
        with Progress(401, "rounds", screen) as progress:
            for done in (1, 101, 201):
                progress.report(done)
        shown = screen.getvalue().split("\r\033[K")
        assert shown[1] == f"[{'.' * 30}] 1 of 401 rounds"
        assert shown[2] == f"[{'#' * 7}{'.' * 23}] 101 of 401 rounds, 30 s left"
        assert shown[3] == f"[{'#' * 15}{'.' * 15}] 201 of 401 rounds, 20 s left"
        assert shown[4] == ""  # wiped away

    def test_is_quiet_elsewhere(self):
        file = io.StringIO()
        with Progress(2, "rounds", file) as progress:
            progress.report(1)
            progress.report(2)
        assert file.getvalue() == ""

    def test_does_not_flicker(self, monkeypatch):
        monkeypatch.setattr(terminal.time, "monotonic", lambda: 50.0)
        screen = Terminal()
        progress = Progress(1000, "rounds", screen)
        for done in range(1, 1001):
            progress.report(done)
        assert screen.getvalue().count("\r") == 2  # the first look and the last


@pytest.mark.parametrize("n", [1, 2, 59, 60, 61, 5000])
def test_a_plot_of_any_length_fits(n):
    lines = plot({"*": np.zeros(n), ".": np.arange(1.0, n + 1)}).splitlines()
    assert len(lines) == 12 + 2
    assert max(map(len, lines)) <= 8 + 60
    assert lines[0].split()[0] == f"{n}"


class TestDoctor:
    def test_tells_what_is_installed_compiled_and_in_the_cache(self, here, monkeypatch, capsys):
        (here / "data/archives").mkdir(parents=True)
        (here / "data/archives/some.whl").write_bytes(b"x" * 2500)
        (here / "data/archives/some.whl.lock").touch()
        (here / "data/one.npz").write_bytes(b"x" * 300)
        printed, sentence = call(monkeypatch, capsys, "doctor", "--offline")
        assert not sentence
        for words in (
            "numba  ",
            "cores  ",
            "free disk",
            "compiled, whole runs",
            "1 in data/archives, 2.5 kB",
            "data 300 B",
        ):
            assert words in printed
        assert "package index" not in printed
        assert printed.endswith("no problems found (no server was contacted)\n")

    def test_tells_who_does_not_answer(self, here, monkeypatch, capsys):
        nobody = "http://127.0.0.1:9"  # the port that discards
        closed = {
            "PIP_CONFIG_FILE": "/dev/null",
            "PIP_INDEX_URL": nobody,
            "PIP_FIND_LINKS": "",
            "PIP_EXTRA_INDEX_URL": "",
        }
        for name, value in closed.items():
            monkeypatch.setenv(name, value)
        (here / "config.yaml").write_text(yaml.safe_dump({"openml": {"server": nobody}}))
        printed, sentence = call(monkeypatch, capsys, "doctor")
        assert "package index          does not respond to pip" in printed
        assert f"openml                 {nobody} does not respond" in printed
        assert not sentence  # a run can do without

    def test_what_would_stop_a_run_is_a_problem(self, here, monkeypatch, capsys):
        monkeypatch.setattr(doctor, "RECORDED", ("numpy", "no-such-package"))
        monkeypatch.setattr(doctor, "LEAST_DISK", 10**18)
        printed, code = call(monkeypatch, capsys, "doctor", "--offline")
        assert code == "1"
        assert "problem: no-such-package is not installed" in printed
        assert "of disk space is free" in printed

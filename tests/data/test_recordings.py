"""Data in the form people have them: folders, streams, other libraries' data sets, a Gymnasium environment."""

import re
from types import SimpleNamespace

import fsspec
import gymnasium
import numpy as np
import pandas
import polars
import pyarrow as arrow
import pyarrow.dataset
import pytest
from pyarrow import parquet

import theory
from tests.command_line import run
from tests.data.test_reading import in_parts, walks
from theory.problems import InvalidProblem
from theory.problems.data import Options, read_recorded

COLUMNS = walks(40, 5)


def value(source, **options):
    return theory.open_data(source, 0.9, **options).td.value


def folder_of_csv(folder):
    folder.mkdir()
    frame = pandas.DataFrame(COLUMNS)
    for i, part in enumerate((frame[:77], frame[77:])):
        part.to_csv(folder / f"{i}.csv", index=False)
    return folder


def hive(folder):
    table = arrow.table({"day": COLUMNS["episode"] // 10, **COLUMNS})
    parquet.write_to_dataset(table, folder, partition_cols=["day"])
    return folder


def memory(folder):
    system = fsspec.filesystem("memory")
    for path in in_parts(folder, COLUMNS, [77]).iterdir():
        system.pipe(f"/log/{path.name}", path.read_bytes())
    return "memory://log"


SOURCES = {
    "a folder of Parquet": lambda path: in_parts(path, COLUMNS, [77, 100]),
    "a glob": lambda path: str(in_parts(path, COLUMNS, [77, 100]) / "part-*.parquet"),
    "a list of files": lambda path: sorted(in_parts(path, COLUMNS, [77]).iterdir()),
    "a folder of CSV": folder_of_csv,
    "a Hive tree": hive,
    "an address of fsspec": memory,
    "a folder with other files": lambda path: (in_parts(path, COLUMNS, [77]), (path / "_SUCCESS").touch())[0],
    "pandas": lambda path: pandas.DataFrame(COLUMNS),
    "Polars": lambda path: polars.DataFrame(COLUMNS),
    "Polars, lazy": lambda path: polars.LazyFrame(COLUMNS),
    "Arrow": lambda path: arrow.table(COLUMNS),
    "batches of Arrow": lambda path: arrow.table(COLUMNS).to_reader(50),
    "a data set of Arrow": lambda path: pyarrow.dataset.dataset(in_parts(path, COLUMNS, [77])),
    "an iterator of frames": lambda path: (pandas.DataFrame(COLUMNS)[i : i + 30] for i in range(0, 200, 30)),
    "a list of mappings": lambda path: [{k: x[i : i + 30] for k, x in COLUMNS.items()} for i in range(0, 200, 30)],
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_says_the_same(source, tmp_path):
    assert value(source(tmp_path / "log")) == pytest.approx(value(COLUMNS), rel=1e-12)


def test_an_iterator_is_read_once_for_both():
    data = theory.open_data(iter([COLUMNS]), 0.9)
    assert data.td.value == value(COLUMNS)
    (row,) = data.compare(["n-step:4"]).rows
    assert row.value is not None
    with pytest.raises(InvalidProblem, match="an iterator is read once: give a list, or write it to a file"):
        data.compare(["n-step:7"])


OBSERVED = {
    "obs_0": COLUMNS["phi_0"],
    "next_obs_0": COLUMNS["next_phi_0"],
    "rewards": COLUMNS["reward"],
    "importance": COLUMNS["ratio"],
    "terminated": COLUMNS["done"],
    "episode_id": COLUMNS["episode"],
}
ONE = {key: x for key, x in COLUMNS.items() if key not in ("phi_1", "phi_2", "next_phi_1", "next_phi_2")}


def test_names_in_the_wild_are_read(tmp_path, capsys):
    assert value(OBSERVED, features="obs", ratio="importance") == value(ONE)
    path = tmp_path / "log.parquet"
    parquet.write_table(arrow.table(OBSERVED), path)
    given = ["inspect", str(path), "--gamma", "0.9"]
    code, _, err = run(capsys, *given)
    assert (code, err) == (
        2,
        "theory: error: log.parquet: there are observations and no features: features=… in Python maps them, "
        "--features-from obs takes them as they are\n",
    )
    code, _, err = run(capsys, *given, "--features-from", "obs")
    assert (code, err.count("\n")) == (2, 1)
    assert "there are no ratios π/μ: name their column (--ratio-column)" in err
    code, out, _ = run(capsys, *given, "--features-from", "obs", "--ratio-column", "importance")
    assert (code, "1 feature" in out) == (0, True)
    code, out, _ = run(capsys, *given, "--features-from", "obs", "--on-policy")
    assert (code, "not read: importance" in out) == (0, True)
    code, _, err = run(capsys, "inspect", "baird", "--on-policy")
    assert (code, err.count("\n")) == (2, 1)


def test_d4rl_archives_are_read(tmp_path):
    path = tmp_path / "d4rl.npz"
    log = {
        "observations": np.column_stack([COLUMNS[f"phi_{i}"] for i in range(3)]),
        "next_observations": np.column_stack([COLUMNS[f"next_phi_{i}"] for i in range(3)]),
        "actions": np.zeros((200, 2)),
        "rewards": COLUMNS["reward"],
        "terminals": COLUMNS["done"],
        "timeouts": np.zeros(200, dtype=bool),
    }
    np.savez(path, **log)
    known = {key: x for key, x in COLUMNS.items() if key not in ("ratio", "episode")}
    assert value(path, features="obs", ratio=1) == value(known)
    del log["next_observations"]
    np.savez(path, **log)
    assert rows(path, features="obs", ratio=1) == 200
    assert value(path, features="obs", ratio=1) == pytest.approx(value(known), rel=1e-12)
    log["timeouts"][3] = True  # then the next observation of row 4 is not there
    np.savez(path, **log)
    assert rows(path, features="obs", ratio=1) == 199
    np.savez(path, **log | {"rewards": np.ones(7)})
    with pytest.raises(InvalidProblem, match=r"d4rl\.npz\.observations: has 200 rows, rewards have 7"):
        theory.open_data(path, 0.9, features="obs", ratio=1)
    np.savez(path, **log)
    with pytest.raises(InvalidProblem, match=r"d4rl\.npz: there are observations and no features"):
        theory.open_data(path, 0.9)


def probabilities(a):
    return {
        "target": lambda obs, action: np.where(action == a, 0.75, 0.25),
        "behaviour": lambda obs, action: 0.5 + 0 * action,
    }


def episodes(T1):
    """Five episodes; the odd ones are cut off. With T + 1 observations, as Minari has them, or T, as d3rlpy."""
    rng = np.random.default_rng(0)
    found = []
    for i in range(5):
        observations, actions = rng.standard_normal((7, 2)), rng.integers(2, size=6)
        ended = np.arange(6) == (5 if i % 2 == 0 else 9)
        common = {"actions": actions, "rewards": rng.random(6)}
        if T1:
            found.append(SimpleNamespace(id=i, observations=observations, terminations=ended, **common))
        else:
            found.append(SimpleNamespace(observations=observations[:-1], terminated=bool(ended[-1]), **common))
    return found


def features(observations):
    return np.column_stack([np.ones(len(observations)), observations])


def rows(source, **options):
    return sum(len(batch) for batch in read_recorded(source, Options(**options)).batches())


def test_minari_and_d3rlpy_are_read_by_their_attributes():
    minari = SimpleNamespace(iterate_episodes=lambda: iter(episodes(True)), spec=SimpleNamespace(dataset_id="door/v1"))
    d3rlpy = SimpleNamespace(episodes=episodes(False))
    both = {"features": features, **probabilities(1)}
    assert theory.open_data(minari, 0.9, **both).estimate.about.name == "door/v1"
    assert rows(minari, **both) == 30
    assert rows(d3rlpy, **both) == 28  # of two episodes the last next observation is not there
    batch = next(read_recorded(minari, Options(**both)).batches())
    assert batch.phi[:, 0].tolist() == [1.0, *episodes(True)[0].observations[0]]
    assert batch.phi_next[:, 5].tolist() == [0.0, 0.0, 0.0]
    assert batch.ratio.tolist() == np.where(episodes(True)[0].actions == 1, 1.5, 0.5).tolist()
    flat = SimpleNamespace(
        observations=np.concatenate([e.observations for e in episodes(False)]),
        actions=np.concatenate([e.actions for e in episodes(False)]),
        rewards=np.concatenate([e.rewards for e in episodes(False)]),
        terminals=np.concatenate([np.arange(6) == (5 if i % 2 == 0 else 9) for i in range(5)]),
        timeouts=np.concatenate([np.arange(6) == (5 if i % 2 else 9) for i in range(5)]),
    )
    assert value(flat, **both) == pytest.approx(value(d3rlpy, **both), rel=1e-12)
    with pytest.raises(InvalidProblem, match="there are observations and no features"):
        theory.open_data(minari, 0.9)
    with pytest.raises(InvalidProblem, match="there are no ratios"):
        theory.open_data(minari, 0.9, features=features)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"features": lambda x: x[:, 5]}, "features= failed: IndexError: "),
        ({"features": lambda x: x[:3]}, r"features= gave shape \(3, 2\), not \(6, F\)"),
        ({"features": lambda x: x * np.nan}, "row 1: 'nan' is not a finite number"),
        ({"target": lambda o, a: a + 0.5}, "row 1: 1.5 is no probability|no probability|ratios average"),
        ({"behaviour": lambda o, a: 0 * a}, "row 1: 0 is no probability of an action taken"),
        ({"behaviour": None}, "target= and behaviour= go together"),
    ],
)
def test_functions_that_are_wrong_are_one_line(options, line):
    minari = SimpleNamespace(iterate_episodes=lambda: iter(episodes(True)))
    with pytest.raises(InvalidProblem, match=line) as error:
        _ = theory.open_data(minari, 0.9, **({"features": features, **probabilities(1)} | options)).td
    assert "\n" not in str(error.value)


def test_an_environment_is_recorded_with_its_ratios():
    uniform, right = (lambda s: [0.25] * 4), (lambda s: [0.1, 0.2, 0.6, 0.1])
    env = gymnasium.make("FrozenLake-v1")
    columns = theory.record(env, right, uniform, lambda s: np.eye(16)[s], 60, seed=1)
    again = theory.record("FrozenLake-v1", right, uniform, lambda s: np.eye(16)[s], 60, seed=1)
    assert all(np.array_equal(columns[key], again[key]) for key in columns)
    assert np.array_equal(columns["ratio"], np.array([0.4, 0.8, 2.4, 0.4])[columns["action"]])
    assert columns["episode"][-1] == 59
    ends = np.append(np.diff(columns["episode"]) > 0, True)
    assert np.array_equal(ends, columns["done"] | columns["truncated"])
    same = ~ends[:-1]
    assert np.array_equal(columns["next_phi"][:-1][same], columns["phi"][1:][same])
    data = theory.open_data(columns, 0.9)
    assert data.estimate.about.trajectories == 60
    for bad, line in (
        ({"target": lambda s: [1, 0]}, "target: must give 4 probabilities that sum to one"),
        ({"behaviour": lambda s: [1, 0, 0, 0]}, "target: takes an action that the behaviour never takes"),
        ({"features": lambda s: np.ones(s + 1)}, "features: give"),
        ({"episodes": 0}, "episodes: must be at least 1"),
        ({"env": "Pendulum-v1"}, "env: actions must be discrete"),
    ):
        given = {"env": env, "target": right, "behaviour": uniform, "features": lambda s: [s], "episodes": 5} | bad
        with pytest.raises(InvalidProblem, match=line):
            theory.record(**given)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (lambda: [1, 2], "data: yields int, not frames or mappings"),
        (lambda: [], "data: there are no rows"),
        (lambda: polars.LazyFrame(COLUMNS).select("nope"), "data: cannot be read: ColumnNotFoundError: "),
        (lambda: (1 / (i - 1) and COLUMNS for i in range(3)), "data: cannot be read: ZeroDivisionError: "),
        (lambda: [ONE, {"reward": [1]}], "data, frame 2: there is no column done, which the first frame has"),
        (lambda: arrow.table({**ONE, "phi_0": [[1.0]] * 199 + [None]}), "data.phi_0"),
        (lambda: iter([{"state": [1], "next_state": [1], "reward": [1]}]), "named states take two passes"),
        (lambda: ["no.csv"], "no.csv: no such file or directory"),
        (lambda: {"state": range(600), "next_state": range(600), "reward": [1] * 600}, "more than 500 named states"),
    ],
)
def test_sources_that_say_nothing_are_one_line(source, line):
    with pytest.raises(InvalidProblem) as error:
        _ = theory.open_data(source(), 0.9).td
    assert line in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({}, "there are no files .csv, .parquet, .npz here"),
        ({"readme.txt": "x"}, "there are no files .csv, .parquet, .npz here"),
        ({"a.csv": "phi_0\n1\n", "b.npz": "x"}, "has files .csv and .npz: choose"),
        (
            {"a.csv": "phi_0,next_phi_0,reward\n1,2,3\n", "b.csv": "phi_0,next_phi_0\n1,2\n"},
            "b.csv: there is no column reward",
        ),
        (
            {"a.csv": "phi_0,next_phi_0,reward\n1,2,3\n", "b.csv": "phi_0,next_phi_0,reward\n1,2,x\n"},
            r"b\.csv\.reward: row 1: 'x'",
        ),
    ],
)
def test_folders_that_say_nothing_are_one_line(files, line, tmp_path, capsys):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    code, out, err = run(capsys, "inspect", str(tmp_path), "--gamma", "0.9")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert re.search(line, err)

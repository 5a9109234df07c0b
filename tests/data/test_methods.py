"""Every method judged from transitions: the numbers of its matrix, how sure they are, and what is not judged."""

import json

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet

import theory
from tests.command_line import run
from tests.data.test_confidence import sample
from theory.data.estimate import of_steps
from theory.data.inspect import open_data
from theory.data.methods import sampled_model
from theory.methods.family import find_method, methods
from theory.methods.multi_step import n_step
from theory.model.linear_model import float_model
from theory.problems import InvalidProblem

OF_MOMENTS = [
    *(
        "off-policy-td",
        "whitened-td",
        "ridge-td",
        "chain",
        "damped-chain",
        "ridge-chain",
        "gtd2",
        "tdc",
        "tdrc",
        "lstd",
    ),
    *("target-network", "soft-target"),
]


def several(columns, gamma, what, value):
    """The sums of a method of several steps, in the order of the trajectories."""
    data = open_data(columns, gamma)
    moments = data.passed(((what, value, gamma),)).moments
    return of_steps(data.estimate, moments.steps[0], moments.base)


def episodes(trajectories, moves):
    return np.repeat(np.arange(trajectories), moves)


@pytest.mark.parametrize("name", OF_MOMENTS)
def test_many_samples_at_once_have_the_matrices_of_each_alone(name):
    """The formulas in a stack of moments are those of a problem, whose moments are in the stack."""
    problem = theory.open_problem("threestate")
    model = float_model(problem)
    other = model.X + np.eye(3), 0.5 * model.Y, model.b
    stack = (np.stack(pair) for pair in zip((model.X, model.Y, model.b), other, strict=True))
    many = sampled_model(*stack, problem.gamma)
    method = find_method(name, {"alpha": "1/8"})
    expected, batch = method.question(model).matrix, method.question(many).matrix
    assert batch.shape == (2, *expected.shape)
    assert np.allclose(batch[0], expected, atol=1e-9)
    assert not np.allclose(batch[1], expected)


def test_td_and_the_chain_are_judged_as_inspect_judges_them():
    _, columns = sample("twostate", 200, 5, episode=episodes(200, 5))
    for gamma in (0.5, 0.83, 0.99):
        found = open_data(columns, gamma)
        td, chain = found.compare(["td", "chain"]).rows
        for row, known, yes in ((td, found.td, "stable"), (chain, found.chain, "unbiased")):
            assert row.value == pytest.approx(known.value)
            assert row.interval == pytest.approx(known.interval)
            assert row.converges == (None if known.answer is None else known.answer == yes)
            assert row.more == known.more


def test_every_method_has_an_answer_or_a_reason():
    _, columns = sample("baird", 300, 10, episode=episodes(300, 10))
    found = theory.compare(open_data(columns, 0.99))
    assert [row.method.name for row in found.rows] == list(methods())
    judged = {row.method.name: row for row in found.rows}
    for name in ("etd", "residual-gradient", "fixed-horizon"):
        assert judged[name].converges is True
    assert judged["n-step-td"].interval[0] < judged["n-step-td"].value < judged["n-step-td"].interval[1]
    assert judged["n-step-td"].converges is None  # 2401 times as much, once in 2401 moves
    assert "products of ratios leave" in judged["n-step-td"].reason
    assert judged["n-step-chain"].converges is True  # by structure
    assert judged["td-lambda"].converges is None
    assert "300 of 300 trajectories are cut off" in judged["td-lambda"].reason
    assert judged["off-policy-td"].converges is False
    assert judged["tdc"].theta.shape == (8,)
    assert "off-policy-td does not converge" in str(found)


def test_the_command_prints_a_line_a_method(tmp_path, capsys):
    path = tmp_path / "d.npz"
    _, columns = sample("twostate", 100, 5, episode=episodes(100, 5))
    np.savez(path, **columns)
    code, out, err = run(capsys, "compare", str(path), "--gamma", "0.99", "--methods", "td,gtd2,n-step")
    assert (code, err) == (0, "")
    assert "off-policy-td" in out
    assert "min Re λ ≈" in out
    code, out, _ = run(capsys, "compare", str(path), "--gamma", "0.99", "--methods", "td,gtd2,n-step", "--json")
    document = json.loads(out)
    assert (code, document["data"]["trajectories"]) == (0, 100)
    assert [m["converges"] for m in document["methods"]][:2] == [False, True]
    low, high = document["methods"][0]["interval"]
    assert low < document["methods"][0]["estimate"] < high
    for bad in (["--methods", "tdd"], ["--plot", str(tmp_path / "p.png")], ["--tau", "7"]):
        code, out, err = run(capsys, "compare", str(path), "--gamma", "0.99", *bad)
        assert (code, out, err.count("\n")) == (2, "", 1)


def test_parquet_is_read_as_it_was_written(tmp_path):
    _, columns = sample("twostate", 60, 5, episode=episodes(60, 5))
    names = np.array(["left", "right"])
    flat = {"phi_0": columns["phi"][:, 0], "next_phi_0": columns["next_phi"][:, 0], "reward": columns["reward"]}
    flat |= {"ratio": columns["ratio"], "episode": columns["episode"]}
    flat |= {"state": names[columns["state"]], "next_state": names[columns["next_state"]]}
    path = tmp_path / "d.parquet"
    parquet.write_table(arrow.table(flat), path)
    one, other = open_data(path, 0.9), open_data(flat, 0.9)
    assert one.td == other.td
    assert one.problem().states == ("left", "right")
    holes = flat | {"reward": [None, *flat["reward"][1:].tolist()]}
    parquet.write_table(arrow.table(holes), path)
    with pytest.raises(theory.InvalidProblem, match=r"d\.parquet\.reward: row 1: 'nan' is not a finite number"):
        _ = open_data(path, 0.9).td
    path.write_bytes(b"PAR1 no more")
    with pytest.raises(theory.InvalidProblem, match="cannot be read") as error:
        open_data(path, 0.9)
    assert "\n" not in str(error.value)


def test_several_steps_are_the_exact_ones_of_many_trajectories():
    problem, columns = sample("threestate", 4000, 8, episode=episodes(4000, 8))
    gamma = float(problem.gamma)
    Y, b = n_step(float_model(problem), 3)
    steps = several(columns, gamma, "n", 3)
    assert steps.lengths.tolist() == [6] * 4000
    spread = steps.Y.std(axis=0) / np.sqrt(4000)
    assert (np.abs(steps.mean[1] - Y / gamma**3) < 5 * spread + 1e-12).all()
    assert (np.abs(steps.mean[2] - b) < 5 * steps.b.std(axis=0) / np.sqrt(4000) + 1e-12).all()


# Two episodes that end, three moves and one, by hand: γ = 1/2, n = 2, λ = 1.
ENDED = {
    "phi_0": [1, 2, 4, 8],
    "next_phi_0": [2, 4, 0, 0],
    "reward": [1, 1, 1, 1],
    "ratio": [2, 1, 3, 1],
    "done": [0, 0, 1, 1],
}


def test_ends_count_as_nothing_ahead():
    two = several(ENDED, 0.5, "n", 2)
    assert two.lengths.tolist() == [3, 1]  # an end is as good as a move
    assert two.Y.ravel().tolist() == [1 * (2 * 1) * 4 / 2, 0]
    assert two.b.ravel().tolist() == [(1 * (2 + 0.5 * 2) + 2 * (1 + 0.5 * 3) + 4 * 3) / 2, 8 / 2]
    trace = several(ENDED, 0.5, "lambda", 1.0)
    z3 = 4.0
    z2 = 2 - 0.5 * 1 * 4 + 0.5 * 1 * z3
    z1 = 1 - 0.5 * 2 * 2 + 0.5 * 2 * z2
    assert trace.Y.ravel().tolist() == [(1 * z1 + 2 * z2 + 4 * z3) / 2, 8 * 8 / 2]
    (row,) = open_data(ENDED, 0.5).compare(["td-lambda:1"]).rows
    assert row.value == pytest.approx(trace.mean[1].item())


def test_rows_that_do_not_follow_each_other_tell_one_step_only():
    columns = {**ENDED, "next_phi_0": [2, 5, 0, 0]}
    (row,) = open_data(columns, 0.5).compare(["n-step:2"]).rows
    assert (row.converges, row.value) == (None, None)
    assert row.reason.startswith("rows 2 and 3 do not follow each other")
    (row,) = open_data({**ENDED, "done": [0, 0, 0, 0], "episode": [0, 1, 2, 3]}, 0.5).compare(["n-step:2"]).rows
    assert row.reason == "no move is followed by 1 others in its trajectory"


def test_one_trajectory_gives_no_interval(tmp_path, capsys):
    """It would have no width: a resample of one trajectory is that trajectory."""
    _, columns = sample("twostate", 1, 60, episode=episodes(1, 60))
    found = open_data(columns, 0.9)
    assert found.td.interval is None
    assert found.to_dict()["td"]["interval"] is None
    assert "1 trajectory gives no interval" in str(found)
    assert "95% interval" not in str(found)
    (row,) = found.compare(["td"]).rows
    assert row.interval is None
    assert "gives no interval" in row.reason
    np.savez(tmp_path / "d.npz", **columns)
    for command in ("inspect", "compare"):
        code, out, _ = run(capsys, command, str(tmp_path / "d.npz"), "--gamma", "0.9")
        assert (code, "gives no interval" in out) == (0, True)


def test_several_steps_are_judged_where_products_of_ratios_are_even():
    _, columns = sample("twostate", 400, 10, episode=episodes(400, 10))
    rows = open_data(columns, 0.99).compare(["n-step:2", "n-step-chain:2"]).rows
    assert [row.converges for row in rows] == [False, False]
    assert all("of the 3,600 moves that enough others follow" in row.reason for row in rows)


def staying(n, seed=0, on_policy=False):
    """n episodes 0 → 1, where the behaviour stays with probability 1/5 and the target 9/10; φ = 1, 2."""
    rng, rows = np.random.default_rng(seed), []
    for episode in range(n):
        rows.append((1.0, 2.0, 1.0, 0, episode))
        while rng.random() < 0.2:
            rows.append((2.0, 2.0, 1.0 if on_policy else 4.5, 0, episode))
        rows.append((2.0, 0.0, 1.0 if on_policy else 0.125, 1, episode))
    phi, phi_next, ratio, done, episode = map(np.array, zip(*rows, strict=True))
    columns = {"phi_0": phi, "next_phi_0": phi_next, "reward": np.ones(len(phi)), "done": done, "episode": episode}
    return columns if on_policy else columns | {"ratio": ratio}


def test_a_discount_of_one_is_judged_where_every_trajectory_ends():
    """X = 24/9 and Y = 26/9 off-policy: A = X − γY < 0 at γ = 1, and not at 1/2; on-policy Y = 12/9."""
    found = open_data(staying(8000), 1)
    assert (found.td.answer, found.chain.answer) == ("unstable", "biased")
    assert found.td.bounded == "unstable"
    assert found.td.value == pytest.approx(-2 / 9, abs=0.1)  # ten standard errors, about
    rows = {row.method.name: row for row in found.compare(["td", "chain", "gtd2", "etd", "lstd"]).rows}
    assert [row.converges for row in rows.values()] == [False, False, True, True, True]
    assert rows["etd"].reason.endswith("where the target's episodes end")
    half = open_data(staying(8000), 0.5)
    assert (half.td.answer, half.chain.answer) == ("stable", "unbiased")
    same = open_data(staying(8000, on_policy=True), 1)
    assert (same.td.answer, same.chain.answer) == ("stable", "unbiased")


def test_a_discount_of_one_is_refused_where_a_trajectory_is_cut_off(tmp_path, capsys):
    columns = staying(40)
    columns["done"][-1] = 0
    with pytest.raises(InvalidProblem, match="must be below 1: 1 of 40 trajectories do not end"):
        _ = open_data(columns, 1).td
    path = tmp_path / "episodes.csv"
    path.write_text("state,next_state,reward,done\na,b,1,0\nb,a,0,0\nb,c,0,1\na,b,1,0\nb,c,2,0\n")
    for command in ("compare", "inspect"):
        code, _, err = run(capsys, command, str(path), "--gamma", "1")
        assert (code, err.count("\n")) == (2, 1)
        assert err.startswith(
            "theory: error: gamma: must be below 1: 1 of 2 trajectories do not end (done); --estimated"
        )
    path.write_text(path.read_text().replace("b,c,2,0", "b,c,2,1"))
    code, out, _ = run(capsys, "compare", str(path), "--gamma", "1", "--estimated", "--methods", "td", "--json")
    assert code == 0
    assert json.loads(out)["methods"][0]["converges"] is True
    code, out, _ = run(capsys, "compare", str(path), "--gamma", "1")
    assert code == 0
    assert "too few to say how sure it is" in out
    code, _, err = run(capsys, "compare", str(path), "--gamma", "1.5")
    assert (code, err) == (2, "theory: error: gamma: must be in [0, 1], got 1.5\n")

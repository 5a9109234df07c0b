"""``theory noise``: a line a learner, exact step sizes, and one-line complaints."""

import json
from fractions import Fraction

import pytest

from tests.command_line import run
from theory.certified.recheck import checker as recheck
from theory.learners.families import learners


def complaints(err):
    """What is not progress."""
    return [line for line in err.splitlines() if not line.endswith(" …")]


def asked(capsys, *arguments):
    code, out, err = run(capsys, "noise", *arguments, "--json")
    assert (code, complaints(err)) == (0, [])
    return json.loads(out)


def test_every_learner_has_a_line_with_numbers_or_a_reason(capsys):
    found = asked(capsys, "twostate", "--gamma", "1/2")
    lines = {line["learner"]: line for line in found["learners"]}
    assert lines.keys() == {name for name, rule in learners().items() if "window" not in rule.columns}
    assert found["gamma"] == "1/2"
    for line in lines.values():
        assert line["reason"] or line["at"]
        assert line["closes"] == (line["max_step_size"]["mean_square"] is not None)
    assert lines["off-policy-td"]["max_step_size"]["mean_square"] == {"exact": "1/2", "value": 0.5}
    assert lines["off-policy-td"]["max_step_size"]["mean"]["exact"] == "2"
    assert lines["chained-concurrent"]["max_step_size"]["mean_square"]["exact"] == "5/17"
    assert lines["etd"]["trace_variance"] == {
        "finite": True,
        "gamma_threshold": {"exact": "sqrt(2)/2", "value": pytest.approx(0.5**0.5, rel=1e-15)},
        "bounded_orders": None,  # γρ = 1: F grows by one a move, along runs that halve in probability
        "tail_index": None,
    }


def test_a_given_step_size_is_judged(capsys):
    for size, tail in (("1/4", "light"), ("41/100", "heavy"), ("3/5", "infinite")):
        words = ("--gamma", "1/3", "--learner", "off-policy-td", "--step-size", size)
        (line,) = asked(capsys, "twostate", *words)["learners"]
        assert line["at"]["tail"] == tail
        assert line["at"]["step_size"] == str(Fraction(size))
        assert (line["at"]["rho2"] < 1) == line["at"]["stable"] == (tail != "infinite")
        assert (line["at"]["stationary_rmse"] is None) == (tail == "infinite")


def test_a_learner_that_diverges_in_the_mean_has_step_size_zero(capsys):
    (line,) = asked(capsys, "twostate", "--learner", "off-policy-td")["learners"]
    assert line["max_step_size"]["mean_square"] == {"exact": "0", "value": 0.0}
    assert line["at"] is None


def test_the_screen_says_what_is_proved_and_what_is_in_floats(capsys):
    code, out, _ = run(capsys, "noise", "twostate", "--learner", "off-policy-td,etd,target-network:window=2")
    assert code == 0
    assert "E[F²] of the trace is unbounded here; it is bounded for γ < sqrt(2)/2" in out
    assert "proved" in out
    assert "in floats" in out


def test_two_lines_of_one_learner_are_told_apart(capsys):
    words = ("twostate", "--learner", "target-network:window=2,target-network:window=3,soft-target,gtd2:reading=2009")
    found = asked(capsys, *words)["learners"]
    assert [line["learner"] for line in found] == ["target-network", "target-network", "soft-target", "gtd2"]
    settings = [{"window": 2}, {"window": 3}, {"tau": "1/8"}, {"reading": "2009"}]
    assert [line["settings"] for line in found] == settings
    _, out, _ = run(capsys, "noise", *words)
    for label in ("target-network window=2 ", "target-network window=3 ", "soft-target tau=1/8 ", "gtd2 reading=2009 "):
        assert f"\n{label}" in out


def test_the_screen_says_whose_error_a_chains_is_and_who_is_missing(capsys):
    _, out, _ = run(capsys, "noise", "twostate", "--gamma", "1/2", "--heads", "3")
    assert "The RMSE of a chain is that of head 3: --heads takes another." in out
    missing = "Not here without a window: target-network, chained-sequential (--learner target-network:window=5)."
    assert missing in out.replace("\n", " ")
    _, out, _ = run(capsys, "noise", "twostate", "--gamma", "1/2", "--learner", "td")
    assert "of a chain" not in out
    assert "Not here" not in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["twostate", "--step-size", "0"], "--step-size: must be positive, got 0"),
        (["twostate", "--ratio", "-1"], "--ratio: must be positive, got -1"),
        (["twostate", "--learner", "tdd"], "learner: 'tdd' is unknown"),
        (["twostate", "--learner", "td:alpha=1/2"], "td: step sizes are given by --step-size and --ratio"),
        (["twostate", "--learner", "target-network"], "target-network: needs a window, as in target-network:window=5"),
        (["twostate", "--heads", "0"], "0 is not in the range"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, complaint):
    code, out, err = run(capsys, "noise", *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_paths_stand_beside_the_mean_square(capsys):
    """Twostate's head 1 at 3/10: paths fall while the mean square grows; emphatic TD needs a step size."""
    words = ("noise", "twostate", "--learner", "chained-concurrent,etd", "--paths", "16", "--moves", "4000")
    code, out, err = run(capsys, *words, "--step-size", "3/10", "--json")
    assert (code, complaints(err)) == (0, [])
    chain, emphatic = json.loads(out)["learners"]
    low, high = chain["paths"]["interval"]
    assert high < 0 < chain["at"]["rho2"] - 1
    assert low < chain["paths"]["exponent"] < high
    assert chain["paths"]["almost_surely"] == "converge"
    assert "estimate by simulation" in emphatic["paths"]["how"]
    code, out, err = run(capsys, *words)
    out = " ".join(out.split())  # lines break where the terminal ends
    assert "etd: paths need a step size" in out
    assert "almost surely, λ = " in out
    assert "(estimate, 16 paths of" in out
    assert "; in mean square ½ log ρ₂ = " in out


def test_a_picture_has_curves_and_maps_and_bad_names_are_refused_first(capsys, tmp_path):
    words = ("noise", "twostate-reward", "--gamma", "1/2", "--learner", "td,gtd2,etd")
    code, out, err = run(capsys, *words, "--plot", str(tmp_path / "n.png"))
    assert (code, complaints(err)) == (0, [])
    assert (tmp_path / "n.png").read_bytes()[:4] == b"\x89PNG"
    assert "etd: not drawn, the trace remembers" in out
    assert out.rstrip().endswith("n.png")
    code, out, err = run(capsys, *words, "--plot", str(tmp_path / "n.txt"))
    assert (code, out) == (2, "")
    assert "must end in .png" in err
    code, out, err = run(capsys, "noise", "twostate", "--learner", "etd", "--plot", str(tmp_path / "m.png"))
    assert (code, out) == (2, "")
    assert "no learner is left to draw" in err


def test_problems_in_floats_have_brackets_and_certificates(capsys):
    """The bracket of the doubles' rationals holds the float root; a matrix problem gets an MDP built for it."""
    (line,) = asked(capsys, "random:states=3,features=2", "--learner", "chained-concurrent")["learners"]
    limit = line["max_step_size"]["mean_square"]
    low, high = (Fraction(limit["bracket"][end]) for end in ("low", "high"))
    assert limit["exact"] is None
    assert 0 < low < high < low * Fraction(101, 100)
    assert line["at"]["stable"]
    assert line["at"]["rechecked"]
    assert all(recheck.check(c) for c in line["at"]["certificates"])


def test_more_heads_have_the_same_step_sizes_and_another_error(capsys):
    one, many = (
        asked(capsys, "threestate", "--learner", "chained-concurrent", "--heads", k)["learners"][0] for k in ("1", "12")
    )
    assert one["max_step_size"] == many["max_step_size"]
    assert one["at"]["stationary_rmse"] != many["at"]["stationary_rmse"]


def test_an_error_that_is_exactly_zero_is_zero(capsys):
    (line,) = asked(capsys, "threestate", "--learner", "gtd2")["learners"]
    assert line["at"]["stationary_rmse"] == 0.0


def test_two_windows_of_one_learner_have_their_own_names_in_the_picture(capsys, tmp_path):
    words = ("noise", "twostate", "--learner", "target-network:window=2,target-network:window=5")
    code, _, err = run(capsys, *words, "--plot", str(tmp_path / "n.svg"))
    assert (code, complaints(err)) == (0, [])
    drawn = (tmp_path / "n.svg").read_text()
    assert "target-network window=2" in drawn
    assert "target-network window=5" in drawn


ENDS = {
    "gamma": 1, "features": [[1, 0], [1, 1], [0, 1]], "discount": [1, "9/10", 1], "start": [1, 0, 0],
    "transitions": [[["1/2", 0, "1/2"], [0, "1/2", 0]], [["1/2", 0, "1/4"], [0, 0, 1]], [[0, "1/2", 0], [0, 0, 0]]],
    "rewards": [[1, 0], [0, 2], [-1, 1]],
    "target_policy": [["1/2", "1/2"], ["1/4", "3/4"], [1, 0]],
    "behaviour_policy": [["1/2", "1/2"], ["1/2", "1/2"], ["1/2", "1/2"]],
}  # fmt: skip


@pytest.mark.parametrize("name", ["corridor", "corridor:states=4", "twostate-discounts", "file"])
def test_where_episodes_end_every_learner_that_closes_has_numbers_and_others_a_reason(capsys, tmp_path, name):
    if name == "file":
        (tmp_path / "ends.json").write_text(json.dumps(ENDS))
        name = str(tmp_path / "ends.json")
    code, out, _ = run(capsys, "noise", name, "--json")
    assert code == 0
    for line in json.loads(out)["learners"]:
        sizes = line["max_step_size"]
        if not line["closes"]:
            assert line["reason"]
            continue
        assert sizes["mean"] is not None, line["learner"]
        assert sizes["mean_square"] is not None, line["learner"]
        if sizes["mean_square"]["value"] != 0:
            assert line["at"]["stationary_rmse"] > 0
            assert line["at"]["tail"] in ("light", "heavy")


def test_a_trace_that_is_bounded_at_every_discount_is_said_to_be(capsys):
    _, out, _ = run(capsys, "noise", "random-walk:states=3", "--learner", "etd")
    assert "E[F²] of the trace is bounded here, and at every γ below 1" in out


@pytest.mark.parametrize(
    ("traced", "same"),
    [
        ("td-lambda", "off-policy-td"),
        ("chained-q", "chained-expected-sarsa"),
        ("chained-retrace", "chained-expected-sarsa"),
    ],
)
def test_without_a_trace_moments_close(capsys, traced, same):
    first, second = asked(capsys, "twostate", "--gamma", "1/2", "--learner", f"{traced}:lambda=0,{same}")["learners"]
    assert first["closes"]
    assert first["learner"] == traced
    assert first["max_step_size"] == second["max_step_size"]
    assert first["at"]["stationary_rmse"] == second["at"]["stationary_rmse"]


def test_action_values_of_a_problem_in_floats_are_taken_as_rationals(capsys):
    """The policy of a built MDP stayed in doubles: a traceback."""
    code, out, err = run(capsys, "noise", "random:states=3,features=2", "--learner", "chained-expected-sarsa")
    assert (code, complaints(err)) == (0, [])
    assert "ρ₂ < 1 is proved" in out
    assert "against v_π" in out


def test_progress_is_told_into_pipes_too(capsys, monkeypatch):
    """What is done, of which learner, how long it took and still takes; --json leaves standard output alone."""
    monkeypatch.setattr("theory.text.progress.EVERY", 0.0)
    code, out, err = run(capsys, "noise", "twostate", "--learner", "td,gtd2", "--json")
    assert code == 0
    assert len(json.loads(out)["learners"]) == 2
    told = [line for line in err.splitlines() if "learners" in line]
    assert any(line.startswith("gtd2: step sizes in mean square · 2 of 2 learners · ") for line in told)
    assert all(line.endswith(" s left …") for line in told)
    monkeypatch.setattr("theory.text.progress.EVERY", 1e9)
    assert run(capsys, "noise", "twostate", "--learner", "td")[2] == ""

"""Updates written by hand, wrong in one known way each, are told by name; right ones are not accused."""

import re
from itertools import combinations

import numpy as np
import pytest

from theory.checking.check import check_update
from theory.checking.known_bugs import variants
from theory.checking.observations import all_observations, telling_problem
from theory.learners.affine import Coordinates
from theory.learners.families import learners
from theory.learners.transition import View
from theory.problems import InvalidProblem
from theory.problems.sources import find_problem

A, B, G = 0.1, 0.05, 0.8


def delta(theta, t, gamma=G):
    return t.reward + gamma * t.phi_next @ theta - t.phi @ theta


def td(theta, t):
    return theta + A * t.ratio * delta(theta, t) * t.phi


def tdc(z, t, correct=lambda w, t: t.ratio * G * (t.phi @ w) * t.phi_next):
    theta, w = z
    d = delta(theta, t)
    return theta + A * (t.ratio * d * t.phi - correct(w, t)), w + B * t.ratio * (d - t.phi @ w) * t.phi


def gtd2(z, t):
    theta, w = z
    return theta + A * t.ratio * (t.phi - G * t.phi_next) * (t.phi @ w), w + B * (
        t.ratio * delta(theta, t) - t.phi @ w
    ) * t.phi


def chain(heads, t, source=lambda k: k - 1, first=lambda t: 1.0):
    new = heads.copy()
    new[0] += A * first(t) * delta(heads[0], t) * t.phi
    for k in range(1, len(heads)):
        new[k] += A * t.ratio * (t.reward + G * t.phi_next @ heads[source(k)] - t.phi @ heads[k]) * t.phi
    return new


def soft(z, t, tau=0.25, ahead=0):
    target, theta = z
    theta = theta + A * t.ratio * (t.reward + G * t.phi_next @ z[ahead] - t.phi @ theta) * t.phi
    return np.array([(1 - tau) * target + tau * theta, theta])


def td_lambda(z, t, decay=G * 0.5):
    theta, trace, rest = z
    trace = t.ratio * (decay * trace + t.phi)
    return theta + A * delta(theta, t) * trace, trace, rest


@pytest.mark.parametrize(
    ("update", "method", "settings"),
    [
        (td, "off-policy-td", {}),
        (tdc, "tdc", {"alpha": A, "beta": B}),
        (gtd2, "gtd2", {"alpha": "1/10"}),
        (chain, "chain", {"alpha": A}),
        (soft, "soft-target", {"alpha": A, "tau": 0.25}),
        (td_lambda, "td-lambda", {"alpha": A, "lambda": 0.5}),
    ],
    ids=["td", "tdc", "gtd2", "chain", "soft", "td-lambda"],
)
def test_a_right_update_written_anew_is_right(update, method, settings):
    found = check_update(update, None, method, **settings)
    assert found.agrees, str(found)
    assert "It is " + found.learner in str(found)


WRONG = [
    (lambda z, t: tdc(z, t, lambda w, t: -t.ratio * G * (t.phi @ w) * t.phi_next), "tdc", "the sign of γYᵀw"),
    (lambda z, t: tdc(z, t, lambda w, t: 0), "tdc", "the correction by w is left out"),
    (lambda z, t: tdc(z, t, lambda w, t: G * (t.phi @ w) * t.phi_next), "tdc", "ρ is left out of the correction"),
    (lambda z, t: tdc(z, t, lambda w, t: t.ratio * (t.phi @ w) * t.phi_next), "tdc", "γ is left out of the correction"),
    (lambda z, t: tdc(z, t, lambda w, t: t.ratio * G * (t.phi @ w) * t.phi), "tdc", "goes along φ and not along φ'"),
    (
        lambda z, t: tdc(z, t, lambda w, t: t.ratio * G * (t.phi_next @ w) * t.phi),
        "tdc",
        "ᵀw and goes along φ$",
    ),
    (
        lambda z, t: tdc(z, t, lambda w, t: t.ratio * G * (t.phi_next @ w) * t.phi_next),
        "tdc",
        "φ'ᵀw and not φᵀw$",
    ),
    (lambda z, t: tdc(z, t, lambda w, t: t.ratio * G**2 * (t.phi @ w) * t.phi_next), "tdc", "γ is multiplied twice in"),
    (
        lambda z, t: (tdc(z, t)[0], z[1] + B * t.ratio * (delta(z[0], t) + t.phi @ z[1]) * t.phi),
        "tdc",
        "the sign of φᵀw in the update of w",
    ),
    (
        lambda z, t: (tdc(z, t)[0], z[1] + B * (delta(z[0], t) - t.phi @ z[1]) * t.phi),
        "tdc",
        "ρ is left out of the update of w",
    ),
    (lambda z, t: (tdc((z[0], tdc(z, t)[1]), t)[0], tdc(z, t)[1]), "tdc", "θ is moved by the new w"),
    (lambda z, t: (2 * z[0] - gtd2(z, t)[0], gtd2(z, t)[1]), "gtd2", "θ steps the wrong way|the sign of γYᵀw"),
    (lambda th, t: th + A * delta(th, t) * t.phi, "off-policy-td", "ρ is left out"),
    (lambda th, t: th + A * t.ratio**2 * delta(th, t) * t.phi, "off-policy-td", "ρ is multiplied twice"),
    (lambda th, t: th + A * t.next_ratio * delta(th, t) * t.phi, "off-policy-td", "ρ is that of the next action"),
    (lambda th, t: th + A / t.ratio * delta(th, t) * t.phi, "off-policy-td", "ρ is upside down"),
    (lambda th, t: th + A * min(t.rho, 1) * delta(th, t) * t.phi, "off-policy-td", "ρ is clipped at 1"),
    (lambda th, t: th + A * t.rho * delta(th, t) * t.phi / (t.phi @ t.phi), "off-policy-td", "divided by ‖φ‖²"),
    (lambda th, t: th + A * t.ratio * delta(th, t, 1) * t.phi, "off-policy-td", "γ is left out"),
    (lambda th, t: th + A * t.ratio * delta(th, t, 0.95) * t.phi, "off-policy-td", "its γ is 0.95"),
    (lambda th, t: td(th, t) - A * 0.03 * th, "off-policy-td", "^θ shrinks by 0.003 of itself"),
    (
        lambda z, t: (tdc(z, t)[0] - 0.002 * z[0], tdc(z, t)[1]),
        "tdc",
        "^θ shrinks by 0.002 of itself at every move besides: weight decay, which moves its fixed point$",
    ),
    (
        lambda z, t: (tdc(z, t)[0], tdc(z, t)[1] + 0.004 * z[1]),
        "tdc",
        "^w grows by 0.004 of itself at every move besides$",
    ),
    (lambda th, t: th - A * t.ratio * delta(th, t) * t.phi, "off-policy-td", "θ steps the wrong way"),
    (lambda th, t: th + A * t.ratio * delta(th, t) * t.phi_next, "off-policy-td", "multiplied by φ'"),
    (
        lambda th, t: th + A * t.ratio * delta(th, t) * (t.phi - G * t.phi_next),
        "off-policy-td",
        "residual gradient",
    ),
    (
        lambda th, t: th + A * t.ratio * (delta(th, t) - 2 * t.reward) * t.phi,
        "off-policy-td",
        "the sign of the reward",
    ),
    (lambda th, t: th + A * t.rho * (delta(th, t) + 2 * t.phi @ th) * t.phi, "off-policy-td", "the sign of φᵀθ"),
    (lambda th, t: th + A * t.rho * (delta(th, t) + t.phi @ th) * t.phi, "off-policy-td", "prediction φᵀθ is left out"),
    (
        lambda th, t: th + A * (t.reward + t.rho * G * t.phi_next @ th - t.phi @ th) * t.phi,
        "off-policy-td",
        "ρ is on γφ'ᵀθ alone",
    ),
    (lambda th, t: th + A * t.rho * (delta(th, t) - (1 - G) * t.reward) * t.phi, "off-policy-td", "the reward, too"),
    (lambda th, t: th + A * t.rho * (delta(th, t) - G * t.reward) * t.phi, "off-policy-td", "multiplied by 1 − γ"),
    (lambda th, t: th + A * t.rho * delta(th, t) * t.phi / np.linalg.norm(t.phi), "off-policy-td", "by ‖φ‖$"),
    (lambda z, t: (gtd2(z, t)[0], z[1] + B * (t.rho * delta(z[0], t) * t.phi - z[1])), "gtd2", "the first GTD"),
    (lambda z, t: tdc(z[::-1], t)[::-1], "tdc", "θ and w are exchanged in the state"),
    (lambda h, t: chain(h, t, lambda k: k), "chain", "every head bootstraps from itself"),
    (lambda h, t: chain(h, t, lambda k: min(k + 1, 2)), "chain", "head k bootstraps from head k \\+ 1"),
    (lambda h, t: chain(h, t, lambda k: 0), "chain", "every head bootstraps from head 0"),
    (lambda h, t: chain(h, t, first=lambda t: t.ratio), "chain", "head 0 has the ratio ρ"),
    (lambda z, t: soft(z, t, tau=0.75), "soft-target", "τ and 1 − τ are exchanged"),
    (lambda z, t: soft(z, t, ahead=1), "soft-target", "θ bootstraps from itself"),
    (lambda z, t: td_lambda(z, t, 0.5), "td-lambda", "the trace decays by λ, without γ"),
    (lambda z, t: td_lambda(z, t, G), "td-lambda", "the trace decays by γ, without λ"),
]
SETTINGS = {
    "tdc": {"alpha": A, "beta": B},
    "soft-target": {"alpha": A, "tau": 0.25},
    "td-lambda": {"alpha": A, "lambda": 0.5},
}


@pytest.mark.parametrize(("update", "method", "words"), WRONG, ids=[words[:30] for _, _, words in WRONG])
def test_a_mistake_is_told_by_name(update, method, words):
    found = check_update(update, None, method, **SETTINGS.get(method, {"alpha": A}))
    assert not found.agrees
    assert len(found.mistakes) == 1, str(found)
    assert re.search(words, found.mistakes[0]), str(found)


def test_two_mistakes_are_told_together():
    def twice(z, t):
        return tdc(z, t, lambda w, t: -t.ratio * (t.phi @ w) * t.phi_next)

    assert check_update(twice, None, "tdc").mistakes == (
        "the sign of γYᵀw, the correction by w and γ is left out of the correction by w",
    )


SIZES = {"alpha": 0.1, "beta": 0.05, "window": 3, "n": 2, "lambda": 0.5, "epsilon": 0.125}


@pytest.mark.parametrize("name", [name for name, rule in learners().items() if not rule.action_values])
@pytest.mark.parametrize("problem", [telling_problem(), find_problem("threestate")], ids=["telling", "threestate"])
def test_no_learner_of_ours_is_accused(name, problem):
    kind = learners()[name]
    settings = {c.rstrip("_"): SIZES[c.rstrip("_")] for c in kind.columns if c != "k"}
    fields = {("lambda_" if key == "lambda" else key): value for key, value in settings.items()}
    found = check_update(kind.of(problem.gamma, fields, 2), problem, name, **settings)
    assert found.agrees, str(found)


@pytest.mark.parametrize("reading", ["2009", "textbook"])
def test_other_readings_have_the_same_mean(reading):
    rule = learners()["tdc"](G, A, B, reading=reading)
    found = check_update(rule, None, "tdc", alpha=A, beta=B)
    assert found.agrees
    assert ("Every single move is the same" in str(found)) == (reading == "textbook")


@pytest.mark.parametrize("name", ["off-policy-td", "gtd2", "tdc", "tdrc", "soft-target", "chained-concurrent"])
def test_no_two_known_mistakes_are_the_same(name):
    """At one state, move by move: all differ from the rule and from each other."""
    kind = learners()[name]
    rule = kind.of(G, {c: SIZES[c] for c in kind.columns if c != "k"}, 2)
    template = Coordinates(rule, View(telling_problem(), exact=False))
    state = template.state(np.random.default_rng(1).standard_normal(template.size), {})
    updates = {"right": rule.update} | {words[0]: update for words, update in variants(rule, 1)}
    assert len(updates) >= 13
    moves = all_observations(telling_problem())
    after = {words: np.ravel([template.pack(update(state, m)) for _, m in moves]) for words, update in updates.items()}
    for (one, a), (other, b) in combinations(after.items(), 2):
        assert np.abs(a - b).max() > 1e-6, (one, other)


def test_an_object_may_bring_its_own_beginning():
    class Mine:
        def init(self, theta):
            return {"theta": theta, "seen": []}

        def update(self, state, t):
            return {"theta": td(state["theta"], t), "seen": [*state["seen"], t]}

    found = check_update(Mine(), None, "n-step", n=1, alpha=A, read=lambda state: state["theta"])
    assert found.agrees, str(found)


def test_states_may_be_dictionaries_and_dataclasses():
    def as_dict(state, t):
        theta, w = tdc((state["theta"], state["w"]), t)
        return {"theta": theta, "w": w}

    start = {"theta": np.zeros(3), "w": np.zeros(3)}
    assert check_update(as_dict, None, "tdc", start=start).agrees


def test_what_is_unexplained_is_told_with_the_step_sizes_that_suit_it():
    def uneven_ridge(z, t):
        theta, w = tdc(z, t)
        return theta, w - B * np.arange(len(w)) * z[1]

    found = str(check_update(uneven_ridge, None, "tdrc"))
    assert "None of the known mistakes" in found
    assert "θ by" not in found


def test_single_precision_is_compared_roughly():
    found = check_update(lambda th, t: np.float32(td(th, t)), None, "off-policy-td", alpha=A)
    assert found.agrees, str(found)
    assert "single precision" in str(found)
    wrong = check_update(lambda th, t: np.float32(th + A * delta(th, t) * t.phi), None, "off-policy-td", alpha=A)
    assert wrong.mistakes == ("ρ is left out",)


def test_a_step_clipped_far_away_is_noticed():
    clipped = check_update(lambda th, t: th + A * t.rho * np.clip(delta(th, t), -100, 100) * t.phi, None)
    assert "not linear" in str(clipped)


def test_defaults_that_were_compared_are_named():
    assert "Compared at tau = 0.125, its default." in str(check_update(soft, None, "soft-target", alpha=A))
    assert "default" not in str(check_update(soft, None, "soft-target", alpha=A, tau="1/4"))


def test_another_learner_is_recognised():
    assert check_update(tdc, None, "gtd2").mistakes == ("it is tdc",)
    assert check_update(gtd2, None, "tdrc").mistakes == ("it is gtd2",)


def test_steps_are_compared_where_they_are_given():
    assert check_update(td, None, "off-policy-td").agrees
    found = check_update(td, None, "off-policy-td", alpha="1/5")
    assert re.fullmatch("the step of θ is 0.5.* times α", found.mistakes[0])


def test_what_cannot_be_compared_is_said():
    clipped = check_update(lambda th, t: th + A * np.clip(delta(th, t), -1, 1) * t.phi, None, "off-policy-td")
    assert "not linear in the parameters" in str(clipped)
    rng = np.random.default_rng(0)
    assert "It is random" in str(check_update(lambda th, t: th + rng.standard_normal(3), None, "off-policy-td"))
    odd = check_update(lambda th, t: th + A * t.phi[::-1] * delta(th, t), None, "off-policy-td")
    assert "None of the known mistakes" in str(odd)
    assert "θ by θ" in str(odd)


@pytest.mark.parametrize(
    ("update", "method", "settings", "line"),
    [
        (lambda th, t: None, "off-policy-td", {}, "update: returned nothing; it has to return the new state"),
        (lambda th, t: th[:2], "off-policy-td", {}, "update: took a state of 3 numbers and returned 2 at the move"),
        (lambda th, t: th + np.nan, "off-policy-td", {}, "update: returned a number that is not finite"),
        (lambda th, t: th.nothing, "off-policy-td", {}, "update: raised AttributeError at the move from state 0"),
        (3, "off-policy-td", {}, "update: give a function"),
        (td, "no-such", {}, "no-such"),
        (td, None, {}, "method: must be a learner's name, got None"),
        (td, "off-policy-td", {"beta": 1}, "settings: off-policy-td has no beta; it has alpha"),
        (td, "off-policy-td", {"alpha": "x"}, "alpha"),
        (td, "chained-q", {}, "method: chained-q is of action values"),
        (soft, "soft-target", {}, "alpha: soft-target moves its target by its own step: give its step size"),
        (td_lambda, "td-lambda", {}, "alpha: td-lambda is compared along a path: give its step size"),
        (td, "tdc", {}, "start|update"),
    ],
)
def test_bad_input_is_one_line(update, method, settings, line):
    with pytest.raises(InvalidProblem) as error:
        check_update(update, None, method, **settings)
    assert "\n" not in str(error.value)
    assert re.search(line, str(error.value))

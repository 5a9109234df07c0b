"""The catalogue: every entry builds, is described, and can be typed again by its name."""

from fractions import Fraction

import pytest

from theory.problems.catalogue import Entry, catalogue, catalogue_problem
from theory.problems.numbers import InvalidProblem
from theory.problems.problem import Problem

NAMES = (
    *("twostate", "twostate-reward", "threestate", "baird", "baird-reward", "baird-star", "tsitsiklis-van-roy"),
    *("kolter", "boyan-chain", "random-walk", "quadrant-stable-unbiased", "quadrant-unstable-biased"),
    *("quadrant-stable-biased", "quadrant-unstable-unbiased", "finite-window", "complex-cycle", "transient-bias"),
    *("garnet", "random", "corridor", "twostate-discounts"),
)
RANDOM = ("garnet", "random")


@pytest.mark.parametrize("name", NAMES)
def test_entry_builds_with_its_defaults(name):
    problem = catalogue_problem(name)
    assert isinstance(problem, Problem)
    assert problem.name == name
    assert problem.is_exact == (name not in RANDOM)
    assert (problem.d_mu > 0).all()
    assert problem == catalogue()[name].build()


@pytest.mark.parametrize("name", NAMES)
def test_entry_is_described(name):
    entry = catalogue()[name]
    assert isinstance(entry, Entry)
    for text in (entry.title, entry.source, entry.famous_for, *(p.meaning for p in entry.parameters.values())):
        assert text.strip() == text != ""
        assert "\n" not in text
    assert list(entry.parameters)[-1] == "gamma"


@pytest.mark.parametrize("name", NAMES)
def test_entry_accepts_gamma(name):
    problem = catalogue_problem(f"{name}:gamma=0.25")
    assert problem.given.gamma == Fraction(1, 4)
    assert problem.mdp is None or problem.mdp.gamma == Fraction(1, 4)
    assert problem.name == f"{name}:gamma=1/4"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "random"])
def test_entry_can_be_sampled_and_its_distribution_is_the_behaviours(name):
    problem = catalogue_problem(name)
    assert problem.mdp is not None
    assert problem.is_stationary


SPECS = [
    "twostate:rewards=signed,gamma=5/6",
    "baird:gamma=99/100",
    "baird-star:outer=9",
    "tsitsiklis-van-roy:epsilon=0",
    "kolter:p=5/7,epsilon=-1/100,gamma=1/2",
    "boyan-chain:target=1",
    "random-walk:features=dependent,states=7,target=3/5",
    "random-walk:features=inverted",
    "garnet:seed=12,states=6,actions=2,branching=3,features=2,law=binary,gamma=1/2",
    "random:seed=7,states=4,features=6,law=absolute-normal",
]


@pytest.mark.parametrize("spec", [*NAMES, *SPECS])
def test_the_name_builds_the_same_problem_again(spec):
    problem = catalogue_problem(spec)
    assert problem.name == spec
    assert catalogue_problem(problem.name) == problem


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("kolter:epsilon=0.0001,p=0.60", "kolter:p=3/5"),
        ("kolter: gamma = 1e-1 , p = 1/2", "kolter:gamma=1/10"),
        ("baird:gamma=.9", "baird"),
        ("baird-star:outer=6.0", "baird-star:outer=6"),
        (" threestate ", "threestate"),
        ("random-walk:features=tabular,states=5", "random-walk"),
    ],
)
def test_the_name_is_canonical(spec, name):
    assert catalogue_problem(spec).name == name


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bard", r"no problem named 'bard'; did you mean 'baird'\?$"),
        ("baird_reward", r"did you mean 'baird-reward'\?"),
        ("zzzz", r"no problem named 'zzzz'; `theory list`"),
        ("", r"no problem named ''"),
        ("x" * 500, r"no problem named 'x{37}\.\.\.'"),
        ("baird:gamma=", r"baird: expected key=value, got 'gamma='"),
        ("baird:gama=1/2", r"baird: no parameter 'gama'; did you mean 'gamma'\?"),
        ("baird:zz=1", r"baird: no parameter 'zz'; baird has gamma"),
        ("baird:gamma=1/2,gamma=1/3", r"baird\.gamma: given twice"),
        ("baird:gamma=1", r"gamma: must be below 1: from state 0 the target never ends an episode"),
        ("baird:gamma=-1/2", r"baird\.gamma: must be a number in \[0, 1\]"),
        ("baird:gamma=1e-999999", r"baird\.gamma: '1e-999999' has more than"),
        ("baird:gamma=__import__('os')", r"baird\.gamma: .* is not a number"),
        ("baird-star:outer=5/2", r"baird-star\.outer: must be an integer, got '5/2'"),
        ("baird-star:outer=0", r"baird-star\.outer: must be an integer from 1 to 60, got '0'"),
        ("random-walk:states=0", r"random-walk\.states: must be an odd integer from 3 to 101, got '0'"),
        ("random-walk:features=foo", r"random-walk\.features: must be one of tabular, dependent, inverted, got 'foo'"),
        ("kolter:p=0", r"kolter\.p: must be a number in \(0, 1\)"),
        ("garnet:states=3,branching=4", r"garnet\.branching: must be at most the 3 states, got 4"),
        ("garnet:seed=-1", r"garnet\.seed: must be an integer from 0"),
        ("random:law=gauss", r"random\.law: must be one of normal, "),
        ("random:law=tabular", r"random\.features: tabular features are as many as the 10 states, got 9"),
    ],
)
def test_rejects_in_one_line(spec, message):
    with pytest.raises(InvalidProblem, match=message) as caught:
        catalogue_problem(spec)
    assert "\n" not in str(caught.value)

"""The studies behind the success-rate figures say what the algebra says."""

import json
from math import inf

import pytest

from theory.experiments import success_rate
from theory.experiments.success_rate import PROFILES, Profile, run, studies
from theory.montecarlo import Store
from theory.problems import InvalidProblem

TINY = Profile(
    rate_states=(2, 5),
    rate_samples=60,
    map_states=(8,),
    map_samples=40,
    conjecture_states=(4, 16),
    conjecture_features=(1, 2),
    conjecture_samples=40,
    windows=(1.0, 16.0, inf),
    window_sizes=((5, 5),),
    window_samples=60,
)


@pytest.fixture
def result(monkeypatch):
    monkeypatch.setitem(success_rate.PROFILES, "tiny", TINY)
    with Store(None) as store:
        return run(store, "tiny", seed=3)


def test_the_same_seed_gives_the_same_bytes(result):
    with Store(None) as store:
        assert json.dumps(run(store, "tiny", seed=3)) == json.dumps(result)


def test_with_as_many_features_as_states_the_chain_is_never_biased(result):
    """Π = I, so ρ(γΠP) = γ: the first half of the paper's figure 1 is algebra."""
    square = [r for part in ("rates", "map", "windows") for r in result[part] if r["features"] == r["states"]]
    assert len(square) == 4
    assert all(r["chain_biased"] == 0 and r["samples"] > 0 for r in square)
    assert result["windows"][0]["windows"][-1]["stable"] == 60


def test_it_carries_what_it_came_from(result):
    assert (result["profile"], result["seed"], result["gamma"]) == ("tiny", 3, 0.99)
    assert {"theory", "numpy", "python"} <= result["versions"].keys()
    assert result["command"].startswith("theory ")


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_shows_both_lines_and_the_whole_map(profile):
    parts = studies(profile)
    assert {c.states - c.features for c in parts["rates"].cells} == {0, 1}
    assert {(8 * c.features) // c.states for c in parts["map"].cells} == set(range(1, 9))
    assert {c.law for c in parts["conjecture"].cells} == {"normal", "absolute-normal"}
    assert all(c.windows[0] == 1 and c.windows[-1] == inf for c in parts["windows"].cells)


def test_unknown_profile_is_refused():
    with pytest.raises(InvalidProblem, match="quick, full"):
        studies("slow")

r"""What is looked for, and which wishes no problem can meet.

The features looked for have full rank, min(S, F): dependent ones leave the chain as it is and change TD only as a
step size per direction would. Then these are impossible:

- *S = 1, or γ = 0*, with TD unstable or the chain biased. One state: P = Π = 1, so ρ(γΠP) = γ < 1, and A = φᵀφ(1 − γ)
  is positive where φ ≠ 0. γ = 0: B = 0 and A = X ≻ 0.
- *F ≥ S with the chain biased.* Φ of rank S spans all values: Π = I and ρ(γΠP) = γρ(P) = γ < 1.
- *F = 1, TD unstable, the chain unbiased.* A = X(1 − B) with X > 0, and |B| < 1 makes A > 0.
- *A middle range of windows with F = 1.* TD is unstable, so A ≤ 0; for 0 < α < 2/X every S_T = (1 − (1 − αX)ᵀ)/X is
  positive (T an exponent), so G_T = 1 − S_T A ≥ 1 for every T. With F ≥ S the chain is unbiased as above; so it takes
  S ≥ 3 and F ≥ 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.methods.family import find_method
from theory.methods.method import Method
from theory.problems import InvalidProblem
from theory.problems.numbers import counted
from theory.problems.validate import check_gamma
from theory.text.words import STABLE, UNBIASED

MAX_STATES = 20


@dataclass(frozen=True)
class Wanted:
    """A property of a problem; what is None is left open.

    `windows` asks for TD unstable and the chain biased, and yet some finite T stable. `largest_rho` asks for ρ(γΠP) as
    large as possible among problems whose probabilities have denominators up to `max_denominator` and whose features
    are integers up to `max_entry` in size; without bounds there is no largest.
    """

    td: str | None = None  # "stable", "unstable"
    chain: str | None = None  # "unbiased", "biased"
    windows: bool = False
    gamma: Fraction | None = None
    largest_rho: bool = False
    max_denominator: int = 10
    max_entry: int = 10
    methods: tuple[tuple[str, bool], ...] = ()  # (method, converges), any of `theory.methods`

    def __post_init__(self) -> None:
        self._read_methods()
        for field, words in (("td", STABLE), ("chain", UNBIASED)):
            value = getattr(self, field)
            if value is not None and value not in words:
                raise InvalidProblem(f"must be {' or '.join(words)}, got {value!r}", field)
        if self.windows:
            if self.td == "stable" or self.chain == "unbiased":
                raise InvalidProblem("a middle range means TD unstable and the chain biased", "windows")
            object.__setattr__(self, "td", "unstable")
            object.__setattr__(self, "chain", "biased")
        if self.td is None and self.chain is None and not self.largest_rho and not self.methods:
            raise InvalidProblem("nothing is wanted: name td, chain, windows, largest_rho or methods", "wanted")
        if self.gamma is not None:
            object.__setattr__(self, "gamma", Fraction(check_gamma(self.gamma)))
        for field in ("max_denominator", "max_entry"):
            if getattr(self, field) < 1:
                raise InvalidProblem(f"must be 1 or more, got {getattr(self, field)}", field)

    def _read_methods(self) -> None:
        """TD and the chain are `td` and `chain`, about which more is known; the others are checked and kept."""
        rest, wanted = [], dict[Method, bool]()
        for text, holds in self.methods:
            method = find_method(text, {"alpha": 1})
            if wanted.setdefault(method, holds) is not holds:
                raise InvalidProblem(f"{text} is wanted to converge and not to at once", "methods")
            theorem = method.reason_for_all_values("gamma")
            if theorem is not None and not holds:
                raise InvalidProblem(f"{method.name} always converges: {theorem}", "methods")
            field = {"off-policy-td": "td", "chain": "chain"}.get(method.name)
            if field is None:
                rest.append((text, holds))
                continue
            said = (STABLE if field == "td" else UNBIASED)[0 if holds else 1]
            if getattr(self, field) not in (None, said):
                raise InvalidProblem(f"is wanted {getattr(self, field)} and {said} at once", field)
            object.__setattr__(self, field, said)
        object.__setattr__(self, "methods", tuple(rest))

    @property
    def name(self) -> str:
        """A name for what is found."""
        if self.windows:
            return "found-middle-windows"
        words = [f"td-{self.td}"] if self.td else []
        words += [f"chain-{self.chain}"] if self.chain else []
        words += [f"{find_method(text, {'alpha': 1}).name}-{STABLE[0 if holds else 1]}" for text, holds in self.methods]
        return "-".join(["found", *words, *(["largest-rho"] if self.largest_rho else [])])


def check_sizes(states: int, features: int) -> None:
    """Sizes that a search takes on."""
    for field, value in (("states", states), ("features", features)):
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_STATES:
            raise InvalidProblem(f"the search takes 1 to {MAX_STATES}, got {value!r}", field)


def core_size(wanted: Wanted, states: int, features: int) -> tuple[int, int]:
    """What is searched for: up to five states, three for windows; the others are added by `lattice.pad`."""
    extra = max(0, states - (3 if wanted.windows else 5))
    return states - extra, max(features - extra, min(features, 2))


def impossible(wanted: Wanted, states: int, features: int) -> str | None:
    """Why no problem of this size with features of full rank is like that; None where there may be one."""
    unstable, biased = wanted.td == "unstable", wanted.chain == "biased"
    if wanted.largest_rho and wanted.max_denominator < states:
        return f"probabilities of {states} visited states need a denominator of {states} or more"
    if wanted.gamma == 0 and (unstable or biased):
        return "with γ = 0, A = X is positive definite and B = 0: TD is stable and the chain unbiased"
    if states == 1 and (unstable or biased):
        return (
            "with one state, P = Π = 1, so ρ(γΠP) = γ < 1 and A = φᵀφ(1 − γ) > 0: TD is stable and the chain unbiased"
        )
    if features >= states and biased:
        return (
            f"{counted(features, 'feature')} of full rank {'spans' if features == 1 else 'span'} all values "
            f"of {counted(states, 'state')}, so Π = I and ρ(γΠP) = γ < 1: the "
            "chain is unbiased. Only dependent features (rank < S) can be biased; they span what fewer do, so ask for "
            f"at most {states - 1}"
        )
    if features == 1 and unstable and wanted.chain == "unbiased":
        return (
            "with one feature A = X(1 − B) and X > 0, so |B| < 1 makes A > 0: where the chain is unbiased, TD is "
            "stable. It takes two features"
        )
    if features == 1 and wanted.windows:
        return (
            "with one feature TD is unstable only if A ≤ 0, and then G_T = 1 − S_T A ≥ 1 for every T, because "
            "S_T = (1 − (1 − αX)^T)/X > 0 for 0 < α < 2/X. It takes two features and three states"
        )
    return None

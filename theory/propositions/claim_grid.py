"""claim-grid: "step sizes 2^(−i/3), i = 1..40, logarithmically spaced between 9.6e−5 and 0.5".

The largest is 2^(−1/3) ≈ .794, since (1/2)³ = 1/8 < 1/2; .5 is reached only at i = 3. The smallest is 2^(−40/3) ≈
9.69e−5, which rounds to 9.7e−5. Cubed, both comparisons are between rationals. So two of the 40 step sizes lie above
the stated range.
"""

from __future__ import annotations

from fractions import Fraction

from theory.propositions.statement import Counterexample, Counterexamples, Statement

CUBES = tuple(Fraction(1, 2**i) for i in range(1, 41))  # of the step sizes, exactly


def counterexamples() -> Counterexamples:
    """Both ends, by comparing cubes."""
    half = Fraction(1, 2)
    above = [i for i, cube in enumerate(CUBES, start=1) if cube > half**3]
    low, high = Fraction(793, 1000), Fraction(794, 1000)
    between = low**3 < max(CUBES) < high**3
    text = (
        f"(1/2)³ = 1/8 < 1/2 = (2^(−1/3))³: the largest step size lies in ({low}, {high}), and i = {above} are above .5"
    )
    yield Counterexample("as stated", text, between and above == [1, 2], {"i": 1, "cube": "1/2"})
    truncated, middle, rounded = (Fraction(n, 10**7) for n in (960, 965, 970))
    smallest = truncated**3 < middle**3 < min(CUBES) < rounded**3
    text = "9.65e−5 < 2^(−40/3) < 9.7e−5: the smallest is 9.7e−5 rounded, 9.6e−5 only cut off"
    yield Counterexample("as stated", text, smallest, {"i": 40, "cube": f"1/{2**40}"})


STATEMENT = Statement(
    id="claim-grid",
    place=220,
    title="The grid of step sizes",
    paper="S = {2^(−i/3) | i = 1, …, 40}, logarithmically spaced between 9.6×10⁻⁵ and 0.5",
    verdict="false as stated",
    precise="between 2^(−40/3) ≈ 9.69×10⁻⁵ and 2^(−1/3) ≈ .794; 0.5 is i = 3",
    scope="decided exactly, by integers",
    latex=r"2^{-40/3} \approx 9.69 \times 10^{-5}, \quad 2^{-1/3} \approx 0.794 > \tfrac{1}{2}",
    expects="refuted",
    counterexamples=counterexamples,
)

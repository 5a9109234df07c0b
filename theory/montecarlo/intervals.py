r"""Wilson's interval for a rate: the p for which k of n is not surprising.

    |k/n − p| ≤ z √(p(1 − p)/n)      ⇔      p ∈ (k + z²/2 ± z √(k(n−k)/n + z²/4)) / (n + z²)

Unlike k/n ± z√(…) it stays within [0, 1] and is right for rates near 0 and 1, where most of ours are.
"""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054  # Φ⁻¹(.975)


def wilson(count: int, total: int, undecided: int = 0, z: float = Z95) -> tuple[float, float]:
    """The interval for a rate of which `count` of `total` were seen, and `undecided` more may have been.

    >>> [round(x, 4) for x in wilson(0, 10)]
    [0.0, 0.2775]
    """
    if total == 0:
        return 0.0, 1.0
    return _bound(count, total, -z), _bound(min(count + undecided, total), total, z)


def _bound(k: int, n: int, z: float) -> float:
    # At k = 0 and k = n the root is exact, and so must be the end of the interval.
    if k == 0 and z < 0:
        return 0.0
    if k == n and z > 0:
        return 1.0
    return (k + z * z / 2 + z * sqrt(k * (n - k) / n + z * z / 4)) / (n + z * z)

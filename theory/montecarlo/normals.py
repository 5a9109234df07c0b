r"""Standard normals from raw random words, compiled, because drawing is a good part of what a verdict costs.

NumPy's own generator would make a verdict at F = S/2 dearer by 7%, 6%, 13% and 15% for S = 10, 20, 50 and 100
(processor time, least of 120 runs in turns, drawing included).

Marsaglia and Tsang's ziggurat: the area under f(x) = exp(−x²/2), x ≥ 0, is covered by 256 layers of equal area v.
Layer i ≥ 1 is [0, x_i] × [f(x_i), f(x_{i+1})]; layer 0 is [0, r] × [0, f(r)] with the tail beyond r = x_1, drawn as if
it were a rectangle of width x_0 = v/f(r). A word gives the layer (8 bits) and a signed point in it (53 bits); where the
point lies below x_{i+1} it is under the curve, which is so for 99% of all words. The others take a uniform number more,
and an exponential, or for the tail two logarithms (Marsaglia 1964).
"""

from __future__ import annotations

from math import erfc, exp, log, pi, sqrt

import numpy as np

from theory.machine_code import njit
from theory.problems.numbers import FloatArray

LAYERS = 256
_R = 3.6541528853610088  # where 256 layers of equal area close at f(0) = 1
_WORDS = 4096  # drawn at once: they stay in the cache


def layers() -> FloatArray:
    """x_0 > x_1 = r > … > x_256 = 0.

    >>> x = layers()
    >>> areas = x[1:-1] * np.diff(np.exp(-(x[1:] ** 2) / 2))
    >>> bool(np.ptp(areas) < 1e-14), len(x)
    (True, 257)
    """
    v = _R * exp(-_R * _R / 2) + sqrt(pi / 2) * erfc(_R / sqrt(2))
    x = np.zeros(LAYERS + 1)
    x[0], x[1] = v / exp(-_R * _R / 2), _R
    for i in range(2, LAYERS):
        x[i] = sqrt(-2 * log(v / x[i - 1] + exp(-(x[i - 1] ** 2) / 2)))
    return x


class Normals:
    """The standard normals of a stream of words, in order: how many are asked for at once does not matter."""

    def __init__(self, bits: np.random.BitGenerator) -> None:
        self._bits = bits
        self._words = np.empty(0, dtype=np.uint64)
        self._x = layers()
        self._f = np.exp(-(self._x**2) / 2)

    def fill(self, out: FloatArray) -> None:
        """The next ones into `out`, which is contiguous."""
        flat, done = out.reshape(-1), 0
        while True:
            done, used = _fill(self._words, self._x, self._f, flat, done)
            self._words = self._words[used:]
            if done == len(flat):
                return
            self._words = np.concatenate([self._words, self._bits.random_raw(_WORDS)])


@njit(cache=True)
def _fill(words, x, f, out, done):  # type: ignore[no-untyped-def]
    """Go on until `out` is full or the words are used up; how many are done, and how many words that took."""
    n, at = len(words), 0
    while done < len(out) and at < n:
        word = words[at]
        layer = np.int64(word & np.uint64(255))
        z = (np.float64(np.int64(word) >> 11) + 0.5) * 2.0**-52 * x[layer]
        if abs(z) < x[layer + 1]:
            out[done] = z
            done += 1
            at += 1
            continue
        taken, accepted, value = _edge(words, at + 1, x, f, layer, z)
        if taken < 0:
            break  # begin this one again when there are more words
        at = taken
        if accepted:
            out[done] = value
            done += 1
    return done, at


@njit(cache=True)
def _edge(words, at, x, f, layer, z):  # type: ignore[no-untyped-def]
    """Next word, whether a point at the edge of its layer is taken, and its value; −1 where words are missing."""
    if layer > 0:
        if at >= len(words):
            return -1, False, 0.0
        y = f[layer] + _uniform(words[at]) * (f[layer + 1] - f[layer])
        return at + 1, y < np.exp(-0.5 * z * z), z
    while at + 1 < len(words):
        beyond = -np.log(_uniform(words[at])) / x[1]
        height = -np.log(_uniform(words[at + 1]))
        at += 2
        if 2.0 * height > beyond * beyond:
            return at, True, np.copysign(x[1] + beyond, z)
    return -1, False, 0.0


@njit(cache=True)
def _uniform(word):  # type: ignore[no-untyped-def]
    """In (0, 1)."""
    return (np.float64(word >> np.uint64(12)) + 0.5) * 2.0**-52

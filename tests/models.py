"""Models of arrays that are no problem's."""

from fractions import Fraction

import numpy as np

from theory.exact.matrices import matrix, rational
from theory.model.linear_model import ExactModel, independent


def model_of(gamma, Phi, P, d):
    """In independent features, without rewards; floats stand for the rationals they denote."""
    return independent(
        ExactModel(rational(Fraction(gamma)), matrix(Phi), matrix(P), matrix(np.zeros(len(d))), matrix(d))
    )

"""HiPPO matrices as a normal matrix minus a rank one, in the eigenvectors of the normal one."""

import math
from typing import NamedTuple

import numpy as np

from timegrain.core.errors import ConfigError

MOST_PAIRS = 512
"""Their eigenvectors take seconds."""


class NormalPlusLowRank(NamedTuple):
    """One of each conjugate pair of `A = diag(poles) - P P*`, and `B = sqrt(2) P`.

    Args:
        poles: Eigenvalues of the normal part, imaginary part >= 0, ascending, complex `(pairs,)`.
        P: The low rank in their eigenvectors, whose phases make it real and >= 0, `(pairs,)`.
    """

    poles: np.ndarray
    P: np.ndarray


def legs(n_pairs: int) -> NormalPlusLowRank:
    """Return HiPPO-LegS with `2 n_pairs` states: exponentially warped Legendre polynomials.

    Args:
        n_pairs: Conjugate pairs, at least 1.

    Raises:
        ConfigError: If there are more than `MOST_PAIRS`.

    Math:
        `A_nk = -sqrt((2n+1)(2k+1))` for n > k, `-(n+1)` for n = k, 0 above, `B_n = sqrt(2n+1)`;
        `A + P P' = -I/2 + S` with S skew and `P_n = sqrt(n + 1/2)`.

    Source:
        Gu, Goel, Re, Efficiently Modeling Long Sequences with Structured State Spaces (2021, arXiv
        2111.00396), eq. (2) for A, theorem 1 and appendix C.1 for its parts; B: Gu, Dao, Ermon,
        Rudra, Re, HiPPO: Recurrent Memory with Optimal Polynomial Projections (NeurIPS 2020).

    Example:
        >>> legs(2).poles.real.round(12), legs(2).poles.imag.round(3)
        (array([-0.5, -0.5]), array([0.557, 4.603]))
    """
    frequency, vectors = legs_modes(n_pairs)
    P = np.sqrt(np.arange(2 * n_pairs) + 0.5)
    return NormalPlusLowRank(-0.5 + 1j * frequency, np.abs(vectors.conj().T @ P))


def legs_modes(n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the modes of the normal part of HiPPO-LegS, HiPPO-N, one of each conjugate pair.

    Args:
        n_pairs: Conjugate pairs, at least 1.

    Returns:
        The imaginary parts of the eigenvalues, positive and ascending, `(pairs,)`; every real part
        is -1/2. Their vectors, `(2 pairs, pairs)`, are columns of a unitary matrix whose other
        columns are the conjugates.

    Raises:
        ConfigError: If there are more than `MOST_PAIRS`.

    Source:
        Gu, Goel, Re, Efficiently Modeling Long Sequences with Structured State Spaces (2021, arXiv
        2111.00396), theorem 1 and appendix C.1.

    Example:
        >>> frequency, vectors = legs_modes(2)
        >>> frequency.round(3), vectors.shape
        (array([0.557, 4.603]), (4, 2))
    """
    if n_pairs > MOST_PAIRS:
        raise ConfigError(
            "HiPPO-LegS is taken apart as a dense matrix",
            got=f"{2 * n_pairs} states",
            expected=f"at most {2 * MOST_PAIRS}",
        )
    P = np.sqrt(np.arange(2 * n_pairs) + 0.5)
    below = np.tril(-np.outer(P, P), -1)
    # S = below - below', and -iS is Hermitian
    frequency, vectors = np.linalg.eigh(-1j * (below - below.T))
    return frequency[n_pairs:], vectors[:, n_pairs:]


def fout(n_pairs: int) -> NormalPlusLowRank:
    """Return FouT with `2 n_pairs` states: a Fourier series of the last unit of time.

    The sine of frequency 0 is one of the states; no input reaches it.

    Args:
        n_pairs: Conjugate pairs, at least 1.

    Math:
        With the basis `p = (1, sqrt 2 cos 2 pi k s, sqrt 2 sin 2 pi k s)` at its end s = 1,
        `A = S - 2 p p'` and `B = 2 p`; S turns each cosine and sine at `2 pi k`.

    Source:
        Gu, Johnson, Timalsina, Rudra, Re, How to Train Your HiPPO (2022, arXiv 2206.12037), the
        truncated Fourier system S4-FouT on the window [0, 1]; the authors' code (state-spaces/s4)
        halves A and B, and so doubles the window.

    Example:
        >>> fout(3).poles.imag.round(3), fout(3).P.round(3)
        (array([ 0.   ,  6.283, 12.566]), array([1.   , 1.414, 1.414]))
    """
    k = np.arange(n_pairs)
    # a pair's eigenvector is (1, -i)/sqrt 2, and p is zero in the sine
    return NormalPlusLowRank(2j * math.pi * k, np.where(k == 0, 1.0, math.sqrt(2)))

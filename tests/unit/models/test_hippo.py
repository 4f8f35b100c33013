import numpy as np
import pytest

from timegrain.models.hippo import fout, legs


def eigenbasis(n_pairs, poles, normal):
    """Unit eigenvectors of the normal part, in the order of `poles`."""
    found, vectors = np.linalg.eig(normal)
    return vectors[:, [np.argmin(np.abs(found - p)) for p in poles]]


@pytest.mark.parametrize("n_pairs", [1, 2, 8, 32])
def test_legs_is_recovered_from_its_normal_and_low_rank_parts(n_pairs):
    n = np.arange(2 * n_pairs)
    A = -np.sqrt(np.outer(2 * n + 1, 2 * n + 1)) * (n[:, None] > n) - np.diag(n + 1.0)
    P = np.sqrt(n + 0.5)
    form = legs(n_pairs)
    V = eigenbasis(n_pairs, form.poles, A + np.outer(P, P))
    V = V * np.exp(1j * np.angle(V.conj().T @ P))  # the phases that make V* P real
    rebuilt = 2 * (V * form.poles @ V.conj().T).real
    low_rank = 2 * (V @ form.P).real
    # eigenvectors are as precise as eps |A| / gap: 1e-16 * 2,000 / .5
    np.testing.assert_allclose(low_rank, P, atol=1e-10)
    np.testing.assert_allclose(rebuilt - np.outer(low_rank, low_rank), A, atol=1e-9 * abs(A).max())
    assert (np.diff(form.poles.imag) > 0).all() and form.poles.imag[0] > 0


def test_fout_is_recovered_and_keeps_a_fourier_series_of_the_last_unit_of_time():
    form, k = fout(3), np.arange(3)
    A, P = np.zeros((6, 6)), np.zeros(6)
    P[::2] = np.where(k == 0, 1, np.sqrt(2)) * np.sqrt(2)
    A[2 * k + 1, 2 * k], A[2 * k, 2 * k + 1] = 2 * np.pi * k, -2 * np.pi * k
    A -= np.outer(P, P)
    # as in the paper, whose states are n = 0, cosines, sines: -2, -2 sqrt 2, -4
    assert A[0, 0] == pytest.approx(-2)
    assert A[0, 2] == A[2, 0] == pytest.approx(-2 * np.sqrt(2))
    assert A[2, 2] == pytest.approx(-4)
    V = np.zeros((6, 3), complex)
    V[2 * k, k], V[2 * k + 1, k] = 1 / np.sqrt(2), -1j / np.sqrt(2)
    np.testing.assert_allclose(2 * (V @ form.P).real, P, atol=1e-15)
    normal = 2 * (V * form.poles @ V.conj().T).real
    np.testing.assert_allclose(normal - np.outer(P, P), A, atol=1e-14)

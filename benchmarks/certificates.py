"""How tight the certificates of errors are: what is certified over what is measured.

    python benchmarks/certificates.py
    python benchmarks/certificates.py --systems 20 --kinds zoh,foh

Random layers at their default sizes meet random sums of five sines on 64 samples, with slope and
curvature declared. The error is measured at every sample against the solution of the layer's own
system in continuous time: in closed form where it is time-invariant, integrated to 1e-10 where it
is selective. A ratio below 1 would be a wrong certificate, and the script then fails. One thread, a
minute for 100 systems of each kind.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np
import torch
from scipy.integrate import solve_ivp

from timegrain import certify
from timegrain.models import build_layer

LENGTH = 64
KINDS = {
    "zoh": ("s4d", 1, {"discretization": "zoh"}),
    "foh": ("s4d", 1, {"discretization": "foh"}),
    "bilinear": ("s4d", 1, {"discretization": "bilinear"}),
    "euler_b": ("s4d", 1, {"discretization": "euler_b"}),
    "trapezoidal": ("s4d", 1, {"discretization": "trapezoidal"}),
    "s5": ("s5", 4, {}),
    "s6": ("s6", 4, {"discretization": "zoh"}),
    "s6_euler": ("s6", 4, {"discretization": "euler_b"}),
}


@dataclass(frozen=True)
class Sines:
    """`u_c(t) = sum_i heights_ic sin(omegas_ic t + phases_ic)`."""

    heights: np.ndarray
    omegas: np.ndarray
    phases: np.ndarray

    @classmethod
    def draw(cls, rng, channels, *, amplitude=1.0, duration=LENGTH, count=5):
        shape = (count, channels)
        return cls(
            heights=amplitude * rng.standard_normal(shape) / np.sqrt(count),
            omegas=2 * np.pi * rng.uniform(0.5, 4.5, shape) / duration,
            phases=rng.uniform(0, 2 * np.pi, shape),
        )

    def __call__(self, times):
        angle = self.omegas * np.asarray(times)[:, None, None] + self.phases
        return (self.heights * np.sin(angle)).sum(1)[None]

    @property
    def slope(self):
        return (np.abs(self.heights) * self.omegas).sum(0)

    @property
    def curvature(self):
        return (np.abs(self.heights) * self.omegas**2).sum(0)


def double(layer):
    """The layer in float64 without its skip term."""
    layer = layer.double().eval()
    layer.D = None
    return layer


def linear_solution(layer, signal, times):
    """Outputs `(time, channel)` of a time-invariant layer in continuous time, in closed form.

    `x' = p x + r u` from rest, for each exponential of the sines:
    `r a (exp(i w t) - exp(p t)) / (i w - p)`.
    """
    with torch.no_grad():
        rates, modes = layer.log_dt.exp().numpy(), layer.modes.numpy()
        if modes.ndim == 2:  # S4D: modes of each channel
            C = layer._system()[2].numpy()
            parts = [
                2 * (driven(m * r, r, signal, times)[:, c] @ w).real
                for c, (m, r, w) in enumerate(zip(modes, rates, C, strict=True))
            ]
            return np.stack(parts, -1)
        B, C = (torch.view_as_complex(p).numpy() for p in (layer.B, layer.C))
    states = driven(modes * rates, rates, signal, times)
    return 2 * np.einsum("tjn,nj,in->ti", states, B, C, optimize=True).real


def driven(poles, rates, signal, times):
    """States `(time, channel, mode)` that each channel alone would cause."""
    t = np.asarray(times)[:, None, None]
    total = np.zeros((len(times), signal.heights.shape[1], len(poles)), complex)
    for a, w, phi in zip(signal.heights, signal.omegas, signal.phases, strict=True):
        for sign in (1, -1):
            weight = sign * a * np.exp(1j * sign * phi) / 2j
            turn = 1j * sign * w[None, :, None]
            total += weight[None, :, None] * (np.exp(turn * t) - np.exp(poles * t)) / (turn - poles)
    return rates * total


def selective_solution(layer, signal, times):
    """Outputs `(time, channel)` of an S6 in continuous time, integrated to 1e-10 by DOP853."""
    weight, into = (layer.x_proj.weight, layer.dt_proj.weight)
    weight, into, bias, rates = (
        part.detach().numpy() for part in (weight, into, layer.dt_proj.bias, -layer.A)
    )
    low, B, C = np.split(weight, [layer.rank, layer.rank + layer.n_state])

    def slope(t, flat):
        u = signal([t])[0, 0]
        delta = np.logaddexp(0, into @ (low @ u) + bias)
        h = flat.reshape(rates.shape)
        return (delta[:, None] * (u[:, None] * (B @ u) - rates * h)).ravel()

    found = solve_ivp(
        slope,
        (times[0], times[-1]),
        np.zeros(rates.size),
        method="DOP853",
        t_eval=times,
        rtol=1e-11,
        atol=1e-13,
    )
    states = found.y.T.reshape(-1, *rates.shape)
    return np.einsum("tcn,tn->tc", states, signal(times)[0] @ C.T)


def error(layer, signal, tau, *, length=LENGTH):
    """The largest error of each channel, at the samples of a step."""
    solution = selective_solution if hasattr(layer, "x_proj") else linear_solution
    times = tau * np.arange(int((length - 1) / tau + 1e-9) + 1)
    with torch.no_grad():
        outputs = layer(torch.from_numpy(signal(times)), float(tau))[0].numpy()
    return np.abs(outputs - solution(layer, signal, times)).max(0)


def ratio(kind, seed, *, tau=1.0, amplitude=1.0):
    """Certified over measured error of one random layer, both the largest over channels."""
    name, width, options = KINDS[kind]
    layer = double(build_layer(name, d_model=width, seed=seed, **options))
    signal = Sines.draw(np.random.default_rng(seed), width, amplitude=amplitude)
    found = certify(
        layer, signal, length=LENGTH, taus=(tau,), slope=signal.slope, curvature=signal.curvature
    )
    return found.bound(tau) / error(layer, signal, tau).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--kinds", default=",".join(KINDS))
    asked = parser.parse_args()
    wrong = False
    print(f"certified over measured error, {asked.systems} systems each")
    for kind in asked.kinds.split(","):
        for tau in (1.0, 0.125):
            found = np.array([ratio(kind, seed, tau=tau) for seed in range(asked.systems)])
            wrong |= not bool((found >= 1).all())
            low, middle, high = found.min(), np.median(found), found.max()
            line = f"{kind:12} tau {tau:<6g}"
            print(f"{line} median {middle:8.3g}   least {low:8.3g}   largest {high:8.3g}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())

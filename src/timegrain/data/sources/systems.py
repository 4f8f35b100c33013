"""Series of systems whose parameters are to be found, made when they are asked for."""

from timegrain.data.card import DatasetCard
from timegrain.data.systems.convection import lorenz
from timegrain.data.systems.oscillator import van_der_pol
from timegrain.data.systems.regression import DT

LORENZ = DatasetCard(
    name="lorenz",
    read=lorenz,
    source="E. N. Lorenz, Deterministic nonperiodic flow, J. Atmos. Sci. 20 (1963) 130-141; "
    "generated here",
    values="the first state, z-scored per series, with noise of deviation 0.05",
    label="sigma, rho and beta, three values",
    dt=DT,
    unit="time unit",
    split="published",
)
VAN_DER_POL = DatasetCard(
    name="van-der-pol",
    read=van_der_pol,
    source='B. van der Pol, On "relaxation-oscillations", Phil. Mag. 2 (1926) 978-992; '
    "generated here",
    values="the position, z-scored per series, with noise of deviation 0.05",
    label="mu and omega, two values",
    dt=DT,
    unit="time unit",
    split="published",
)

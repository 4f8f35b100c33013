"""The sources that are made of systems, by the names they are registered with."""

from timegrain.data.systems.chaotic import LORENZ, LORENZ96, ROESSLER
from timegrain.data.systems.coupled import KURAMOTO
from timegrain.data.systems.forecast import forecast
from timegrain.data.systems.inference import inference
from timegrain.data.systems.ornstein import OU
from timegrain.data.systems.oscillators import DAMPED, DUFFING, VDP
from timegrain.data.systems.pendulum import DOUBLE_PENDULUM

SYSTEMS = (VDP, DUFFING, DAMPED, OU, LORENZ, ROESSLER, KURAMOTO, DOUBLE_PENDULUM, LORENZ96)

VDP_INFERENCE, VDP_FORECAST = inference(VDP), forecast(VDP)
DUFFING_INFERENCE, DUFFING_FORECAST = inference(DUFFING), forecast(DUFFING)
DAMPED_INFERENCE, DAMPED_FORECAST = inference(DAMPED), forecast(DAMPED)
OU_INFERENCE, OU_FORECAST = inference(OU), forecast(OU)
LORENZ_INFERENCE, LORENZ_FORECAST = inference(LORENZ), forecast(LORENZ)
ROESSLER_INFERENCE, ROESSLER_FORECAST = inference(ROESSLER), forecast(ROESSLER)
KURAMOTO_INFERENCE, KURAMOTO_FORECAST = inference(KURAMOTO), forecast(KURAMOTO)
DOUBLE_PENDULUM_INFERENCE = inference(DOUBLE_PENDULUM)
DOUBLE_PENDULUM_FORECAST = forecast(DOUBLE_PENDULUM)
LORENZ96_INFERENCE, LORENZ96_FORECAST = inference(LORENZ96), forecast(LORENZ96)

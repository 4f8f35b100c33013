"""Systems of differential equations, solved by a method of known order."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "System": "system",
        "damped_path": "oscillators",
        "double_pendulum_field": "pendulum",
        "duffing_field": "oscillators",
        "forecast": "forecast",
        "inference": "inference",
        "integrate": "integrate",
        "kuramoto_field": "coupled",
        "lorenz": "convection",
        "lorenz96_field": "chaotic",
        "lorenz_field": "convection",
        "ornstein_uhlenbeck_path": "ornstein",
        "parameter_regression": "regression",
        "roessler_field": "chaotic",
        "runge_kutta": "solve",
        "van_der_pol": "oscillator",
        "van_der_pol_field": "oscillator",
        "watch_system": "watch",
    },
)

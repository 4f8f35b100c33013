"""Systems of differential equations, solved by a method of known order."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "lorenz": "convection",
        "lorenz_field": "convection",
        "parameter_regression": "regression",
        "runge_kutta": "solve",
        "van_der_pol": "oscillator",
        "van_der_pol_field": "oscillator",
    },
)

"""Which convolutions of a model the cure "dilate" would reach, and why it reaches none."""

from typing import Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.introspect import is_module, model_name
from timegrain.core.errors import GridError, ModelError
from timegrain.core.table import number


def dilatable(model: Any, *, dt: float) -> tuple[str, ...]:
    """Return the names of the convolutions that `remedy(model, "dilate")` sets apart by time.

    What `remedy` refuses and what `localise` advises come from here.

    Args:
        model: A module, or a `ModelAdapter` of one.
        dt: Working step.

    Raises:
        ModelError: If the model is a function, or there is no such convolution in it.
        GridError: If the working step is not the trained one over a whole number.

    Example:
        >>> from timegrain.models import build_layer
        >>> dilatable(build_layer("mamba", d_model=2), dt=1.0)
        ('conv',)
    """
    from timegrain.models.dilated import Dilated

    own = check_module(model)
    names = Dilated(own).names
    if isinstance(model, ModelAdapter) and model.trained_dt is not None:
        _check_step(dt, model.trained_dt)
    return names


def check_module(model: Any) -> Any:
    """Return the module that a cure would change.

    Raises:
        ModelError: If the model is a function.
    """
    own = model.model if isinstance(model, ModelAdapter) else model
    if not is_module(own):
        raise ModelError(
            "cures change modules",
            got=f"{model_name(own)}, a function",
            expected="a torch.nn.Module, or a registered name",
            hint="passing the module that it calls; a ModelAdapter says how it is called",
        )
    return own


def _check_step(dt: float, trained_dt: float) -> None:
    from timegrain.models.dilated import whole_dilation

    try:
        whole_dilation(dt / trained_dt)
    except GridError as error:
        raise GridError(
            "a convolution is dilated on grids as fine as the trained one, or so many times finer",
            got=f"a working step of {number(dt)} for a model that was trained at "
            f"{number(trained_dt)}",
            expected=f"{number(trained_dt)}, or that over a whole number",
            hint=f"dt={trained_dt:g}",
        ) from error

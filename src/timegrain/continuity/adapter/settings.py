"""What an adapter says, as values that a result can store."""

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.introspect import model_name


def settings(adapter: ModelAdapter) -> dict[str, object]:
    """Return how a model was called, told its step and read.

    Args:
        adapter: Of it, or the one that stands for a model that was passed alone.

    Example:
        >>> settings(ModelAdapter(lambda u, rate: u, tau="rate", trained_dt=0.01))["told"]
        'the argument rate is given dt / dt_trained'
    """
    told, others, output = adapter.telling, adapter.others, adapter.output
    return {
        "type": type(adapter.model).__name__,
        "told": None if told is None else told.words,
        "trained_dt": adapter.trained_dt,
        "inputs": adapter.inputs,
        "others": _name(others) if callable(others) else {k: _said(v) for k, v in others.items()},
        "output": _name(output) if callable(output) else output,
        "pooling": adapter.pooling,
        "d_input": adapter.d_input,
        "dtype": adapter.dtype,
    }


def _name(function: object) -> str:
    return f"the function {model_name(function)}"


def _said(value: object) -> object:
    """Return a plain value, or the type of another: an array in results would be long."""
    plain = value is None or isinstance(value, bool | int | float | str)
    return value if plain else type(value).__name__

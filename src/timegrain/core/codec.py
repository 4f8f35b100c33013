"""Dataclasses to plain JSON values and back, with nothing but declared types."""

import dataclasses
import enum
import math
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import PurePath

import numpy as np

from timegrain.core.errors import ResultError


def encode(value: object) -> object:
    """Return `value` as JSON types: enums by name, arrays as lists, non-finite floats as null.

    Args:
        value: A dataclass instance, enum, mapping, sequence, array, scalar or None.

    Raises:
        ResultError: If a value has no JSON form.

    Example:
        >>> encode({"order": float("nan"), "taus": (1.0, 0.5)})
        {'order': None, 'taus': [1.0, 0.5]}
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, enum.Enum):
        return value.name
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if isinstance(value, Sequence):
        return [encode(v) for v in value]
    if isinstance(value, PurePath):
        return value.name
    raise ResultError("a value has no JSON form", got=type(value).__name__)


def decode(kind: typing.Any, data: typing.Any, *, at: str = "result") -> typing.Any:
    """Return `data`, read from JSON, as an object of type `kind`.

    Args:
        kind: A dataclass, enum, builtin or generic alias of those.
        data: JSON value written by `encode`.
        at: Where the value stands, for errors.

    Raises:
        ResultError: If the value does not fit the type.
    """
    origin = typing.get_origin(kind)
    if kind is typing.Any or kind is object:
        return data
    if origin in (typing.Union, types.UnionType):
        return _decode_union(kind, data, at)
    if origin in (tuple, list, Sequence):
        return _decode_sequence(kind, origin, data, at)
    if origin in (dict, Mapping):
        key, item = typing.get_args(kind)
        return {
            _key(key, k): decode(item, v, at=f"{at}.{k}") for k, v in _need(data, dict, at).items()
        }
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _decode_enum(kind, data, at)
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, data, at)
    if kind is float:
        return _decode_float(_need(data, (int, float), at), at)
    return _need(data, kind, at)


def _need(data: typing.Any, kind: typing.Any, at: str) -> typing.Any:
    wrong_bool = isinstance(data, bool) and kind is not bool
    if wrong_bool or not isinstance(data, kind):
        raise ResultError(f"{at} has the wrong type", got=repr(data)[:60], expected=str(kind))
    return data


def _key(kind: typing.Any, key: str) -> typing.Any:
    return kind(key) if kind in (int, float) else key


def _decode_union(kind: typing.Any, data: typing.Any, at: str) -> typing.Any:
    options = typing.get_args(kind)
    if data is None and type(None) in options:
        return None
    errors = []
    for option in options:
        if option is type(None):
            continue
        try:
            return decode(option, data, at=at)
        except ResultError as error:
            errors.append(error)
    raise errors[0]


def _decode_sequence(kind: typing.Any, origin: typing.Any, data: typing.Any, at: str) -> typing.Any:
    items = _need(data, list, at)
    arguments = typing.get_args(kind)
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        if len(items) != len(arguments):
            raise ResultError(f"{at} has the wrong length", got=len(items), expected=len(arguments))
        pairs = zip(arguments, items, strict=True)
        return tuple(decode(a, v, at=f"{at}[{i}]") for i, (a, v) in enumerate(pairs))
    values = [decode(arguments[0], v, at=f"{at}[{i}]") for i, v in enumerate(items)]
    return values if origin is list else tuple(values)


def _decode_float(data: float, at: str) -> float:
    try:
        value = float(data)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ResultError(f"{at} is not finite", got=str(data)[:20], expected="a finite number")
    return value


def _decode_enum(kind: type[enum.Enum], data: typing.Any, at: str) -> enum.Enum:
    if not isinstance(data, str) or data not in kind.__members__:
        raise ResultError(f"{at} is no {kind.__name__}", got=repr(data)[:60])
    return kind[data]


def _decode_dataclass(kind: typing.Any, data: typing.Any, at: str) -> typing.Any:
    fields = {f.name: f for f in dataclasses.fields(kind) if f.init}
    hints = typing.get_type_hints(kind)
    unknown = sorted(set(_need(data, dict, at)) - set(fields))
    if unknown:
        raise ResultError(f"{at} has unknown fields", got=unknown, expected=sorted(fields))
    required = {n for n, f in fields.items() if _is_required(f)}
    missing = sorted(required - set(data))
    if missing:
        raise ResultError(f"{at} lacks fields", got=sorted(data), expected=missing)
    return kind(**{n: decode(hints[n], v, at=f"{at}.{n}") for n, v in data.items()})


def _is_required(field: "dataclasses.Field[typing.Any]") -> bool:
    absent = dataclasses.MISSING
    return field.default is absent and field.default_factory is absent

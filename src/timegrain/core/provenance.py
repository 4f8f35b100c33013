"""What a result was made with, so that it can be made again."""

import functools
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata

from timegrain._version import __version__
from timegrain.core.codec import encode

_PACKAGES = ("numpy", "scipy", "numba", "torch")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Versions, platform, seed and parameters of a measurement; never a path or a host name.

    Args:
        timegrain: Version of this package.
        python: Version of Python.
        packages: Versions of the packages that compute.
        platform: Operating system and processor family.
        created: UTC time, ISO 8601, to the second.
        seed: The seed every random draw came from, if any.
        parameters: The arguments of the measurement, as JSON values.
    """

    timegrain: str
    python: str
    packages: Mapping[str, str]
    platform: str
    created: str
    seed: int | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def collect(
        cls, *, seed: int | None = None, parameters: Mapping[str, object] | None = None
    ) -> "Provenance":
        """Return the provenance of a measurement made now.

        Args:
            seed: Seed of the measurement.
            parameters: Its arguments; must have a JSON form.

        Raises:
            ResultError: If a parameter has no JSON form.
        """
        return cls(
            timegrain=__version__,
            python=platform.python_version(),
            packages={name: v for name in _PACKAGES if (v := _version(name)) is not None},
            platform=f"{platform.system()} {platform.machine()}",
            created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            seed=seed,
            parameters=dict(encode(dict(parameters or {}))),  # type: ignore[call-overload]
        )


@functools.cache
def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None

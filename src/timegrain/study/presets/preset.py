"""What a study with a name consists of."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from timegrain.core.errors import ConfigError
from timegrain.core.result import Result
from timegrain.study.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A study that needs no more than its name.

    Args:
        name: The name.
        description: What is measured and what the result can tell, in a few sentences.
        settings: Frozen dataclass of what it can be told, with a default for everything.
        run: Takes the settings and `progress`, and returns the result.
        resumes: Whether the settings have a `folder` for what is done, so that the study goes on
            where it was stopped.
    """

    name: str
    description: str
    settings: type
    run: Callable[[Any, Progress], Result]
    resumes: bool = False

    def configure(self, given: Mapping[str, object]) -> Any:
        """Return the settings with these values in place of the defaults.

        Args:
            given: Names of fields of the settings to their values.

        Raises:
            ConfigError: If the settings have no such field, or refuse a value.
        """
        known = [field.name for field in dataclasses.fields(self.settings)]
        for name in given:
            if name not in known:
                raise ConfigError(
                    f"{self.name} cannot be told {name}",
                    got=f"{name}={given[name]!r}",
                    expected=f"one of {', '.join(known)}",
                )
        return self.settings(**given)

"""Run a study by its name."""

from timegrain.core.errors import ConfigError
from timegrain.core.result import Result
from timegrain.study.presets.catalogue import presets
from timegrain.study.presets.preset import Preset
from timegrain.study.progress import Progress, ignore


def run_study(preset: str, *, progress: Progress = ignore, **settings: object) -> Result:
    """Run the study of this name and return its result.

    Args:
        preset: A name of `presets`.
        progress: Called at the start of each step.
        settings: What the preset can be told, in place of its defaults.

    Returns:
        The result, whose `kind` is the preset's own.

    Raises:
        UnknownNameError: If there is no such preset.
        ConfigError: If the preset has no such setting, or refuses a value.

    Example:
        >>> found = run_study(
        ...     "paper-continuity", systems=6, amplitudes=(1.0, 2.0), taus=(2**-4, 2**-3)
        ... )
        >>> found.row("s4", tau=2**-4, amplitude=2.0).n_dropped
        0
    """
    chosen = find_preset(preset)
    return chosen.run(chosen.configure(settings), progress)


def find_preset(name: str) -> Preset:
    """Return the preset of this name.

    Raises:
        UnknownNameError: If there is none.
        ConfigError: If what is registered is no preset.
    """
    found = presets.load(name)
    if not isinstance(found, Preset):
        raise ConfigError(f"{name} is no preset", got=type(found).__name__, expected="a Preset")
    return found

"""How large the demonstration is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from timegrain.core.errors import ConfigError

# from smooth to symbolic; sequences of at least 128 samples, so that one window fits all
SETS = (
    "OSULeaf",
    "ecg",
    "mnist-row",
    "weather/Wspd",
    "python-source",
    "OSULeaf-permuted",
)


def _models() -> dict[str, Mapping[str, object]]:
    # 16 complex pairs give S4D as many parameters as S6 has with 16 real states
    return {"s4d": {"n_pairs": 16}, "s6": {}}


@dataclass(frozen=True, kw_only=True)
class DemoSettings:
    """Everything the demonstration can be told.

    Args:
        seed: First seed.
        n_seeds: Trainings of each kind, with seeds from `seed` on.
        sets: Datasets whose continuity is measured; `name/channel` for one channel.
        window: Samples of the one window they are compared in.
        task: The labelled set to train on; its twin with permuted time is the other task.
        models: Layers to train and to measure, with their options.
        d_model: Width of the networks.
        n_layers: Their blocks.
        batch_size: Sequences a step.
        lr: Peak learning rate.
        epochs: Epochs at full resolution.
        stages: Stages meant to take as long, as text.
        strides: Rates of the transfer curves.
        n_features: Features of the baseline.
        amplitudes: Input amplitudes of model continuity.
        pairs: Pairs of initialisation and signal a model is measured with.
        levels: Halvings of the step.

    Raises:
        ConfigError: If there are no seeds, sets or models.
    """

    seed: int = 0
    n_seeds: int = 3
    sets: tuple[str, ...] = SETS
    window: int = 128
    task: str = "OSULeaf"
    models: Mapping[str, Mapping[str, object]] = field(default_factory=_models)
    d_model: int = 64
    n_layers: int = 2
    batch_size: int = 16
    lr: float = 1e-2
    epochs: int = 15
    stages: str = "8:12,4:10,2:7,1:4"
    strides: tuple[int, ...] = (1, 2, 4)
    n_features: int = 2000
    amplitudes: tuple[float, ...] = (0.1, 1.0, 10.0)
    pairs: int = 20
    levels: int = 6

    def __post_init__(self) -> None:
        if self.n_seeds < 1 or not self.sets or not self.models:
            raise ConfigError(
                "the demo has nothing to do",
                got=f"n_seeds={self.n_seeds}, sets={self.sets}, models={tuple(self.models)}",
                expected="at least one of each",
            )

    @classmethod
    def fast(cls, *, seed: int = 0) -> "DemoSettings":
        """Return the smallest settings that go through every step; the scores mean nothing."""
        return cls(
            seed=seed,
            n_seeds=2,
            sets=("OSULeaf", "python-source", "OSULeaf-permuted"),
            models={"s4d": {"n_pairs": 4}, "s6": {"n_state": 4}},
            d_model=8,
            n_layers=1,
            epochs=2,
            stages="8:2,4:1,2:1,1:1",
            n_features=100,
            amplitudes=(0.1, 1.0),
            pairs=3,
        )

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the trainings."""
        return tuple(range(self.seed, self.seed + self.n_seeds))

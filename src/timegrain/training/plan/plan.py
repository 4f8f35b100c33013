"""A plan of stages: pure values, which a training asks what to do at each step."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from timegrain.core.errors import ConfigError
from timegrain.models.options import shown
from timegrain.training.plan.apportion import apportion
from timegrain.training.plan.stage import Stage
from timegrain.training.stages import StageRow, parse_stages

if TYPE_CHECKING:
    import torch

    from timegrain.training.batch import Batch
    from timegrain.training.plan.course import Course
    from timegrain.training.plan.walk import Walk

SHARES = ("epochs", "compute", "coarse-heavy")
PLACES = ("input", "embedding")
LR_POLICIES = ("one_cosine", "restart")


@dataclass(frozen=True)
class SubsamplingPlan:
    """Stages of a training, in order, from few samples to all of them.

    Args:
        stages: At least one.
        shares: What a share is a share of: `"epochs"`; `"compute"`, the samples seen, so that a
            stage of stride k gets k times the epochs; or `"coarse-heavy"`, epochs once more
            weighted `m, ..., 3, 2, 1/2` over the `m` stages.
        place: Where samples are dropped: at the `"input"`, or after the `"embedding"`, which a
            mean or a filter over symbols needs.
        lr_policy: `"one_cosine"` over all steps, or a `"restart"`, with its short rise, at each
            stage.
        grow_batch: Let a batch of stride k hold k times the sequences, so that every step sees as
            many samples.

    Raises:
        ConfigError: If a value is outside its domain.

    Example:
        >>> plan = SubsamplingPlan.parse("8:80,4:60")
        >>> [(row.stride, row.epochs) for row in plan.epochs(7)]
        [(8, 4), (4, 3)]
    """

    stages: tuple[Stage, ...]
    shares: str = "epochs"
    place: str = "input"
    lr_policy: str = "one_cosine"
    grow_batch: bool = False

    def __post_init__(self) -> None:
        source: object = self.stages
        if not isinstance(source, Iterable):
            raise ConfigError("a plan needs stages", got=repr(self.stages), expected="Stage(...)s")
        object.__setattr__(self, "stages", tuple(self.stages))
        if not self.stages or not all(isinstance(s, Stage) for s in self.stages):
            raise ConfigError("a plan needs stages", got=repr(self.stages), expected="Stage(...)s")
        for name, known in (("shares", SHARES), ("place", PLACES), ("lr_policy", LR_POLICIES)):
            if getattr(self, name) not in known:
                raise ConfigError(
                    f"a plan cannot have this {name}",
                    got=repr(getattr(self, name)),
                    expected=" or ".join(map(repr, known)),
                )
        if not isinstance(self.grow_batch, bool):
            raise ConfigError("grow_batch is yes or no", got=repr(self.grow_batch))

    @classmethod
    def none(cls) -> "SubsamplingPlan":
        """Return the plan that keeps all samples throughout."""
        return cls((Stage(stride=1, share=1.0),))

    @classmethod
    def parse(cls, text: str, **ways: Any) -> "SubsamplingPlan":
        """Return the plan written as `"none"` or as `stride:share` with whole numbers.

        Args:
            text: Such as `"8:80,4:60,1:20"`; epochs become shares of their sum.
            **ways: `shares`, `place`, `lr_policy`, `grow_batch`.

        Raises:
            ConfigError: If the text does not read so.
        """
        given: object = text
        if not isinstance(given, str):
            raise ConfigError(
                "a plan is read from text", got=repr(text), expected="such as '8:80,4:60,1:20'"
            )
        if text.strip() == "none":
            return cls.of([(1, 1.0)], **ways)
        return cls.of(((row.stride, row.epochs) for row in parse_stages(text)), **ways)

    @classmethod
    def of(
        cls, pairs: Iterable[tuple[int, float]], *, decimator: str = "phase", **ways: Any
    ) -> "SubsamplingPlan":
        """Return the plan of `(stride, share)` pairs, the shares divided by their sum.

        Args:
            pairs: In order.
            decimator: Of all stages.
            **ways: `shares`, `place`, `lr_policy`, `grow_batch`.
        """
        source: object = pairs
        listed = tuple(source) if isinstance(source, Iterable) else ()
        if not listed or not all(isinstance(p, tuple | list) and len(p) == 2 for p in listed):
            raise ConfigError(
                "a plan is made of pairs",
                got=repr(source),
                expected="(stride, share) each",
                hint="SubsamplingPlan.parse for text",
            )
        given = [Stage(stride=k, share=s, decimator=decimator) for k, s in listed]
        whole = sum(s.share for s in given)
        return cls(
            tuple(Stage(stride=s.stride, share=s.share / whole, decimator=decimator)
                  for s in given),
            **ways,
        )  # fmt: skip

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in order."""
        return tuple(stage.stride for stage in self.stages)

    @property
    def subsamples(self) -> bool:
        """Whether a stage leaves samples out."""
        return max(self.strides) > 1

    @property
    def epoch_shares(self) -> tuple[float, ...]:
        """Share of the epochs of each stage; they sum to 1.

        Example:
            >>> SubsamplingPlan.of([(4, 1), (1, 1)], shares="compute").epoch_shares
            (0.8, 0.2)
        """
        weights = self._weights()
        return tuple(w / sum(weights) for w in weights)

    @property
    def cost(self) -> float:
        """Samples that an epoch sees on average, over those at full resolution.

        Example:
            >>> SubsamplingPlan.of([(4, 1), (2, 1), (1, 2)]).cost
            0.6875
        """
        pairs = zip(self.epoch_shares, self.strides, strict=True)
        return sum(share / stride for share, stride in pairs)

    def epochs(self, total: int) -> tuple[StageRow, ...]:
        """Return how many epochs each stage gets.

        Args:
            total: Epochs of the whole training, at least one a stage.

        Raises:
            ConfigError: If there are too few.
        """
        counts = apportion(self._weights(), total)
        return tuple(
            StageRow(stride=s.stride, epochs=n) for s, n in zip(self.stages, counts, strict=True)
        )

    def course(self, epochs: int, *, n: int, batch_size: int) -> "Course":
        """Return what to do at each step of a training.

        Args:
            epochs: Of the whole training.
            n: Sequences of the training part.
            batch_size: Sequences a step at full resolution.
        """
        from timegrain.training.plan.course import Course

        return Course.of(self, self.epochs(epochs), n=n, batch_size=batch_size)

    def walk(
        self, n: int, *, time: int, epochs: int, batch_size: int = 16, seed: int = 0
    ) -> "Walk":
        """Return the steps of a training in order, for a loop of one's own.

        Args:
            n: Sequences of the training part.
            time: Samples of a padded sequence.
            epochs: Of the whole training.
            batch_size: Sequences a step at full resolution.
            seed: Of the order of the sequences and of the phases.
        """
        from timegrain.models.options import seed_number, whole
        from timegrain.training.plan.walk import Walk

        for name, value in (("n", n), ("time", time), ("batch_size", batch_size)):
            whole(name, value, least=1)
        seed_number(seed)
        course = self.course(epochs, n=n, batch_size=batch_size)
        return Walk(course, n=n, time=time, seed=seed)

    def collate(
        self,
        batch: "Batch | Mapping[str, torch.Tensor] | tuple[torch.Tensor, ...]",
        *,
        stage: int,
        generator: "torch.Generator | None" = None,
        offset: int | None = None,
        per_step: bool | None = None,
        along: Iterable[str] = (),
    ) -> "Batch | dict[str, Any]":
        """Return a batch as one of the stages sees it, from a phase drawn anew.

        Args:
            batch: A `Batch`, a dict of tensors as tokenizers and the Hugging Face Trainer have
                them, or `(x, y)` or `(x, y, lengths)` as of plain torch; stacked, and no list of
                examples as a `collate_fn` gets it: for a `DataLoader` there are `StepBatches` and
                `SubsamplingCollator`.
            stage: Number of the stage, 0 for the first.
            generator: Of the phase; None takes torch's global one.
            offset: The phase of a step of a walk, in the place of a drawn one; a batch of fewer
                samples starts at its last.
            per_step: Whether there is a target for every sample; None asks where a shape leaves it
                open, as of a `y` of `(batch, time)`.
            along: Further names of a dict that have an axis of time after the first.

        Returns:
            A `Batch` for a `Batch`; else a dict with lengths, masks, times and targets that
            followed, and with `tau`: that of the batch, or 1, times that of the stage.
        """
        from timegrain.training.plan.collate import collate, numbered_stage

        return collate(
            batch,
            numbered_stage(self.stages, stage),
            generator=generator,
            offset=offset,
            per_step=per_step,
            along=along,
        )

    def state_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return asdict(self) | {"stages": [asdict(s) for s in self.stages]}

    @classmethod
    def load_state_dict(cls, state: Mapping[str, Any]) -> "SubsamplingPlan":
        """Return the plan that `state_dict` wrote.

        Raises:
            ConfigError: If it is not one.
        """
        known = {f.name for f in fields(cls)}
        if not isinstance(state, Mapping) or set(state) != known:
            got = sorted(map(str, state)) if isinstance(state, Mapping) else type(state).__name__
            raise ConfigError("this is no state of a plan", got=got, expected=sorted(known))
        words, given = {f.name for f in fields(Stage)}, state["stages"]
        several = isinstance(given, list | tuple)
        if not (several and all(isinstance(s, Mapping) and set(s) == words for s in given)):
            raise ConfigError(
                "this is no state of a plan",
                got=f"stages={shown(given)}",
                expected=f"stages with {', '.join(sorted(words))} each",
            )
        stages = tuple(Stage(**stage) for stage in given)
        return cls(**{**state, "stages": stages})

    def __str__(self) -> str:
        """Return `"none"` or `stride:share` with the shares of all epochs in per cent."""
        if all(s.told == 1 and s.stride == 1 for s in self.stages):
            return "none"
        weights = self._weights()
        whole = sum(weights)
        pairs = zip(self.stages, weights, strict=True)
        return ",".join(f"{s.stride}:{100 * w / whole:.3g}%" for s, w in pairs)

    def _weights(self) -> list[float]:
        extra = {
            "epochs": lambda i, s: 1,
            "compute": lambda i, s: s.stride,
            "coarse-heavy": lambda i, s: len(self.stages) - i if i + 1 < len(self.stages) else 0.5,
        }[self.shares]
        return [s.share * extra(i, s) for i, s in enumerate(self.stages)]

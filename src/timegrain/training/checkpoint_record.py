"""What is written of a trained network beside its weights."""

from collections.abc import Mapping
from dataclasses import dataclass

from timegrain.core.errors import ModelError
from timegrain.training.scaling import Scaling

CASES = ("window", "hop", "ahead", "seed", "source_options")


@dataclass(frozen=True, kw_only=True)
class CheckpointRecord:
    """What `checkpoint.json` says of a network.

    Args:
        model: Keywords of `build_model` that build it.
        dt_trained: Step that tau = 1 stands for.
        unit: Unit of `dt_trained`; `"sample"` when the step is not known.
        task: Name of the task it was trained on.
        class_names: Names of the outputs of a classifier, in order.
        channel_names: Names of the input channels, or of the symbols, in order.
        inputs: How inputs were standardised; None when they were taken as they are.
        targets: How targets were standardised; None for classes.
        metrics: Scores and other numbers worth keeping.
        timegrain: Version that wrote the file.
        weights_sha256: Of the weights file.
        kind: `"real"`, or `"tokens"` when inputs are whole numbers that stand for symbols.
        dt_tuned: Step of the samples it was fine-tuned on, in `unit`; None when it was not. What
            tau = 1 stands for stays `dt_trained`.
        cases: How they were cut and split: `window`, `hop` and `ahead` as `load_task` takes them,
            the `seed` of the split, and the `source_options` as the command line takes them; None
            when that is not known.

    Raises:
        ModelError: If a part does not fit the network.
    """

    model: Mapping[str, object]
    dt_trained: float
    unit: str
    task: str | None
    class_names: tuple[str, ...]
    channel_names: tuple[str, ...]
    inputs: Scaling | None
    targets: Scaling | None
    metrics: Mapping[str, float]
    timegrain: str
    weights_sha256: str
    kind: str = "real"
    dt_tuned: float | None = None
    cases: Mapping[str, str | int | None] | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("real", "tokens"):
            raise ModelError("unknown kind of input", got=self.kind, expected="real or tokens")
        unknown = sorted(set(self.cases or ()) - set(CASES))
        if unknown:
            raise ModelError("cases are not said so", got=unknown, expected=", ".join(CASES))
        width, d_output = self.model.get("d_input"), self.model.get("d_output")
        for what, found, wanted in (
            ("centers of the inputs", self.inputs.center if self.inputs else (), width),
            ("centers of the targets", self.targets.center if self.targets else (), d_output),
            ("names of classes", self.class_names, d_output),
        ):
            if found and len(found) != wanted:
                raise ModelError(
                    f"the {what} do not fit the network", got=len(found), expected=wanted
                )

    @property
    def is_classifier(self) -> bool:
        """Whether the outputs are logits of classes: several, or named, and not scaled."""
        several = self.model["d_output"] != 1 or bool(self.class_names)
        return self.targets is None and several

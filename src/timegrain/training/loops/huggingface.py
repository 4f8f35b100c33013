"""A plan in the Trainer of Hugging Face's transformers."""

import inspect
import math
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from torch.utils.data import IterableDataset

from timegrain.core.errors import ConfigError
from timegrain.data.readers.extra import need
from timegrain.training.loops.collator import SubsamplingCollator
from timegrain.training.loops.timetable import Timetable, check_followable
from timegrain.training.plan.named import along_names, whole_number
from timegrain.training.plan.plan import SubsamplingPlan

_callbacks: Any = need(
    "transformers.trainer_callback", "hf", "callbacks of its Trainer", done="made"
)


class SubsamplingCallback(_callbacks.TrainerCallback, _callbacks.ExportableState):
    """A `TrainerCallback` that thins the training batches as each stage of a plan wants them.

    Give it to `Trainer(..., callbacks=[SubsamplingCallback(plan)])` and leave the rest as it is.
    The stages are laid out over `num_train_epochs`, or over the steps where `max_steps` is set. The
    `data_collator` makes a batch with one of the inputs of `SubsamplingPlan.collate`
    (`input_values`, `inputs_embeds`, `input_ids`, ...), and with `attention_mask` or `lengths`
    where sequences differ in length; masks and, with `per_step`, labels follow. Each batch says
    `tau` where the `forward` of the network names it. Evaluation and prediction see all samples.

    A training that is resumed goes on with the stages and phases it would have had, on a stream
    (`IterableDataset`) as well. Which examples come next is the Trainer's: it skips batches of a
    stream's first pass alone.

    Args:
        plan: The plan, or its `state_dict()`, which a Trainer with
            `restore_callback_states_from_checkpoint=True` finds in the checkpoint. Its `lr_policy`
            is left to the Trainer's own schedule.
        seed: Of the phases.
        per_step: Whether there is a label for every sample; None asks where a shape leaves it
            open.
        along: Further names of a batch that have an axis of time after the first.

    Raises:
        ConfigError: If the Trainer cannot follow the plan.

    Warns:
        UserWarning: If a network is trained at other strides that cannot be told `tau`.
    """

    def __init__(
        self,
        plan: SubsamplingPlan | Mapping[str, Any],
        *,
        seed: int = 0,
        per_step: bool | None = None,
        along: Iterable[str] = (),
    ) -> None:
        if isinstance(plan, Mapping):
            plan = SubsamplingPlan.load_state_dict(plan)
        check_followable(plan)
        self.plan, self.seed = plan, whole_number("seed", seed, least=0)
        self.per_step, self.along = per_step, along_names(along)
        self.collator: SubsamplingCollator | None = None
        self._accumulate = 1
        self._collates_skipped = False

    def on_train_begin(
        self,
        args: Any,
        state: Any,
        control: Any,
        *,
        model: Any,
        train_dataloader: Any,
        **others: Any,
    ) -> None:
        """Put the plan behind the collate function of the training loader, and of no other.

        Raises:
            ConfigError: If a training is resumed with another plan, or one process makes the
                batches of several.
        """
        _check_own_batches(args, train_dataloader)
        by_steps = args.max_steps > 0
        timetable = Timetable(
            plan=self.plan,
            total=state.max_steps if by_steps else math.ceil(args.num_train_epochs),
            unit="steps" if by_steps else "epochs",
            seed=self.seed,
        )
        stored = state.stateful_callbacks.get(type(self).__name__, {}).get("attributes", {})
        if state.global_step > 0 and stored.get("timetable") is not None:
            timetable.check_same(stored["timetable"])
        # the loader that accelerate has wrapped
        loader = getattr(train_dataloader, "base_dataloader", train_dataloader)
        inner = loader.collate_fn
        if isinstance(inner, SubsamplingCollator):
            inner = inner.collate
        self.collator = SubsamplingCollator(
            timetable, inner, per_step=self.per_step, along=self.along, tell=self._tell(model)
        )
        loader.collate_fn = self.collator
        self._accumulate = args.gradient_accumulation_steps
        # a sampler leaves batches out, but those of a stream are made before they are skipped
        streams = isinstance(train_dataloader.dataset, IterableDataset)
        self._collates_skipped = streams and state.global_step > 0 and not args.ignore_data_skip

    def on_epoch_begin(
        self, args: Any, state: Any, control: Any, *, train_dataloader: Any, **others: Any
    ) -> None:
        """Tell the collator, and through it the workers, where the training is."""
        if self.collator is None:
            return
        by_steps = self.collator.timetable.unit == "steps"
        steps = self._steps_an_epoch(train_dataloader, state)
        epoch, done = divmod(state.global_step, steps)
        if self._collates_skipped:
            done, self._collates_skipped = 0, False
        self.collator.set_epoch(
            epoch,
            done=done * self._accumulate,
            position=epoch * steps if by_steps else epoch,
            every=self._accumulate if by_steps else 0,
        )

    def state(self) -> dict[str, Any]:
        """Return the timetable, for `trainer_state.json`."""
        timetable = None if self.collator is None else self.collator.timetable.state_dict()
        return {
            "args": {
                "plan": self.plan.state_dict(),
                "seed": self.seed,
                "per_step": self.per_step,
                "along": list(self.along),
            },
            "attributes": {"timetable": timetable},
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "SubsamplingCallback":
        """Return the callback that `state` tells of."""
        return cls(**state["args"])

    def _steps_an_epoch(self, loader: Any, state: Any) -> int:
        try:
            batches = len(loader)
        except TypeError:  # a stream without a length is one epoch
            return max(int(state.max_steps), 1)
        return max(math.ceil(batches / self._accumulate), 1)

    def _tell(self, model: Any) -> bool:
        """Return whether the network can be told `tau`; only a parameter of that name counts."""
        forward = getattr(model, "module", model).forward
        if "tau" in inspect.signature(forward).parameters:
            return True
        if self.plan.subsamples:
            warnings.warn(
                f"the forward() of {type(model).__name__} has no parameter tau, so it is not told "
                "at which step it is trained; what it learns at one stride may not fit the next",
                stacklevel=2,
            )
        return False


def _check_own_batches(args: Any, loader: Any) -> None:
    """Refuse a loader whose batches the first process makes, joins and deals out."""
    if args.world_size > 1 and type(loader).__name__ == "DataLoaderDispatcher":
        raise ConfigError(
            "the batches of a stream are joined for all processes, each at a phase of its own",
            got=f"one process that makes the batches of {args.world_size}",
            hint='TrainingArguments(..., accelerator_config={"dispatch_batches": False})',
        )

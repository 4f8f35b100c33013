"""`train`: one network, one task, one plan."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from torch import nn

from timegrain.data.task import Task
from timegrain.training.feasible import check_stages, check_task
from timegrain.training.held_out import SHARE
from timegrain.training.optimise import make_optimiser
from timegrain.training.plan.check import check_plan
from timegrain.training.plan.read import read_plan
from timegrain.training.run import TrainingRun
from timegrain.training.scaling import check_scaling
from timegrain.training.score import check_interface
from timegrain.training.stages import StageRow
from timegrain.training.step_ratio import check_told
from timegrain.training.trainer.engine import OnEpoch, check_called
from timegrain.training.trainer.keeper import EVERY
from timegrain.training.trainer.logging import Log
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.precision import Amp, check_amp
from timegrain.training.trainer.session import Keeping, Session
from timegrain.training.trainer.settings import TrainerSettings
from timegrain.training.truncated.check import check_truncation

if TYPE_CHECKING:
    from timegrain.training.plan.advice import PlanAdvice
    from timegrain.training.plan.plan import SubsamplingPlan
    from timegrain.training.scaling import Scaling


def train(
    model: nn.Module,
    task: Task,
    *,
    stages: str | Iterable[StageRow | tuple[int, int]] | None = None,
    plan: "SubsamplingPlan | PlanAdvice | str | None" = None,
    epochs: int | None = None,
    batch_size: int = 16,
    lr: float = 1e-2,
    dynamics_lr: float = 1e-3,
    weight_decay: float = 0.01,
    clip: float = 1.0,
    tbptt: int | None = None,
    seed: int = 0,
    tau: float = 1.0,
    targets: "Scaling | None" = None,
    on_epoch: OnEpoch | None = None,
    snapshots: str | Path | None = None,
    resume: bool = False,
    snapshot_every: float = EVERY,
    amp: Amp = False,
    accumulate: int = 1,
    patience: int | None = None,
    validation: float = SHARE,
    deterministic: bool = False,
    log: Log | None = None,
) -> TrainingRun:
    """Train a network in place and return the record of it.

    A stage of stride k sees every k-th sample, from a phase drawn anew for each batch; the network
    is told `tau = k`; lengths and targets follow. AdamW, one cosine over all steps with a short
    rise, clipped gradients.

    Args:
        model: `forward(x, tau=1.0, *, lengths=None)` with an attribute `takes_tau`, such as
            `build_model` makes; left in eval mode.
        task: What to learn.
        stages: `(stride, epochs)` pairs in order, or text such as `"8:80,4:60,1:20"`.
        plan: In their place a `SubsamplingPlan`, what `subsampling_plan` advises, or text: `"auto"`
            asks `subsampling_plan`, `"none"` keeps all samples, else `stride:epochs`.
        epochs: Of the whole training, shared out by the plan; None takes the sum of a text's
            epochs, else 15.
        batch_size: Sequences a step.
        lr: Peak learning rate.
        dynamics_lr: Peak learning rate of the time scales, which never decay.
        weight_decay: Of all other parameters.
        clip: Largest norm of the gradient, > 0.
        tbptt: For windows that do not fit into memory: back-propagate through so many samples at a
            time, counted as the network sees them (of those a stage leaves), from a state that is
            carried along; memory is that of so many samples. The loss is that of whole windows.
            What fits is trained as without. With `load_task(..., lazy=True)` the samples are read
            a part at a time, too. None goes back through whole windows.
        seed: Of the order, the phases and dropout; torch's global generator is left as it was.
        tau: Step of the task over the step that the network knows as tau = 1, for one that was
            trained before at another rate. A stage of stride k then tells it `k * tau`.
        targets: How values to predict are standardised, for a network that was trained before;
            None standardises them with the training part.
        on_epoch: Called after each epoch with its row and the seconds still expected; a training
            that is resumed may call it twice for the epoch it was interrupted in.
        snapshots: Directory for the state of the training, so that it can be resumed after an
            interrupt at any instant; None keeps none. The two newest states stay. While it lasts no
            other training writes there. At Ctrl-C, and at SIGTERM where a handler raises
            KeyboardInterrupt, the step under way is finished and the state written; a second
            signal ends it at once.
        resume: Go on from the newest whole snapshot, with the same weights, order and dropout, on
            the CPU to the same bits as without an interrupt, with as many threads; from the
            beginning where there is none. Notes of the run say which. What a network draws from
            generators other than torch's own is not restored.
        snapshot_every: Seconds between snapshots, beside those at the ends of epochs that last a
            second or more; 0 writes one after each step. Writing is not counted as training.
        amp: Mixed precision: matrix products in `"bfloat16"` (which True stands for), or on a CUDA
            device in `"float16"` with a scaled loss. Time scales, scans, convolutions, weights and
            scores stay in float32. For devices with fast 16-bit products: on a CPU a GRU took 2.5
            times as long, S4D and S6 about as long as without.
        accumulate: Batches that go into one step, one after the other: a step is then of
            `batch_size * accumulate` sequences, as if they had been one batch, with the memory of
            `batch_size`.
        patience: Early stopping: hold out a share of the training part, and end a stage after so
            many epochs without a better score on it at full resolution, told its step. The next
            stage goes on at the rate that the plan has for it; where the last one ends early, the
            one cosine stays unfinished. The weights of the best epoch are put back, and the score
            is theirs. None trains on all of the training part to the end.
        validation: The share that is held out for `patience`: whole groups or recordings where the
            task knows them, the end of a single one, else a share of every class.
        deterministic: Use torch's deterministic operations alone while training. With the same
            seed, number of threads, machine and versions the weights are then the same bits. On the
            CPU the layers of this package give them without it.
        log: Called as `log(mapping, step)` after each step with `train/loss` and `train/lr`, and
            after each epoch with `train/epoch_loss`, `test/score`, `validation/score` where there
            is one, `stage/stride` and `time/seconds`; such as `tensorboard_log(directory)`.

    Returns:
        A run whose `seconds` count training alone, and whose score is that of the last epoch, or
        of the one that early stopping kept.

    Raises:
        ConfigError: If an option is outside its domain, a stage leaves too little of the
            sequences, or the snapshots are of another training, or of one and not to be resumed.
        DataError: If a part is empty, a target is not finite, or there is one class alone.
        ModelError: If the network does not fit the task, cannot be called as above or answers what
            cannot be trained on; or the training diverges: a loss or an answer is not finite. The
            weights are then those it diverged with.
        ResultError: If no snapshot is whole, none can be written, or another training, under way,
            writes them in the same directory.

    Note:
        In processes that `torchrun` starts, each takes its share of every batch, and all end with
        the same weights: those of one process but for rounding and for dropout, which draws in
        each process for itself.

        Batches keep their number of sequences at every stride. On OSULeaf (2 layers of 64, 2
        seeds, stages of stride 8, 4, 2, 1 in the time of 15 full epochs) batches that grow with
        the stride, to the same number of samples, scored .76 for S4D and .59 for S6; constant
        ones .79 and .66. There, too, a peak rate of .01 scored .72 and .62 at full resolution,
        .004 scored .60 and .61.
    """
    check_interface(model)
    check_task(task)
    settings = TrainerSettings(
        batch_size=batch_size,
        lr=lr,
        dynamics_lr=dynamics_lr,
        weight_decay=weight_decay,
        clip=clip,
        tbptt=tbptt,
        seed=seed,
        tau=tau,
        targets=targets,
        amp=check_amp(amp),
        accumulate=accumulate,
        patience=patience,
        validation=validation,
        deterministic=deterministic,
    )
    keeping = Keeping(directory=snapshots, resume=resume, every=snapshot_every)
    check_called(on_epoch)
    check_scaling(settings.targets, task)
    check_told(model, settings.tau)
    way = read_plan(task, stages=stages, plan=plan, epochs=epochs, seed=seed)
    check_stages(task, way.rows)
    check_plan(model, task, way.plan)
    if tbptt is not None:
        check_truncation(model, way.plan)
    optimiser = make_optimiser(
        model,
        lr=settings.lr,
        dynamics_lr=settings.dynamics_lr,
        weight_decay=settings.weight_decay,
    )
    with keeping.alone():
        material = Material.of(model, task, way, settings)
        return Session(material, optimiser, keeping=keeping, log=log).run(on_epoch)

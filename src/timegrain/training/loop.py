"""`train`: one network, one task, one plan."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import nn

from timegrain.data.task import Task
from timegrain.training.feasible import check_stages, check_task
from timegrain.training.optimise import make_optimiser
from timegrain.training.plan.check import check_plan
from timegrain.training.plan.read import read_plan
from timegrain.training.run import TrainingRun
from timegrain.training.score import check_interface
from timegrain.training.stages import StageRow
from timegrain.training.step_ratio import check_told
from timegrain.training.trainer.engine import OnEpoch, Trainer, draw_seed
from timegrain.training.trainer.gradient import PlainGradient
from timegrain.training.trainer.keeper import EVERY, Keeper
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.record import record
from timegrain.training.trainer.settings import TrainerSettings
from timegrain.training.trainer.state import TrainingState

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
    seed: int = 0,
    tau: float = 1.0,
    targets: "Scaling | None" = None,
    on_epoch: OnEpoch | None = None,
    snapshots: str | Path | None = None,
    resume: bool = False,
    snapshot_every: float = EVERY,
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
        seed: Of the order, the phases and dropout; torch's global generator is left as it was.
        tau: Step of the task over the step that the network knows as tau = 1, for one that was
            trained before at another rate. A stage of stride k then tells it `k * tau`.
        targets: How values to predict are standardised, for a network that was trained before;
            None standardises them with the training part.
        on_epoch: Called after each epoch with its row and the seconds still expected; a training
            that is resumed may call it twice for the epoch it was interrupted in.
        snapshots: Directory for the state of the training, so that it can be resumed after an
            interrupt at any instant; None keeps none. The two newest states stay.
        resume: Go on from the newest whole snapshot, with the same weights, order and dropout, on
            the CPU to the same bits as without an interrupt; from the beginning where there is
            none. Notes of the run say which.
        snapshot_every: Seconds between snapshots, beside those at the ends of epochs that last a
            second or more; 0 writes one after each step. Writing is not counted as training.

    Returns:
        A run whose `seconds` count training alone, and whose score is that of the last epoch.

    Raises:
        ConfigError: If an option is outside its domain, a stage leaves too little of the
            sequences, or the snapshots are of another training, or of one and not to be resumed.
        DataError: If a part is empty, a target is not finite, or there is one class alone.
        ModelError: If the network does not fit the task, or the training diverges: a loss or an
            answer is not finite. The weights are then those it diverged with.
        ResultError: If no snapshot is whole, or none can be written.

    Note:
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
        seed=seed,
        tau=tau,
        targets=targets,
    )
    check_told(model, tau)
    way = read_plan(task, stages=stages, plan=plan, epochs=epochs, seed=seed)
    check_stages(task, way.rows)
    check_plan(model, task, way.plan)
    optimiser = make_optimiser(model, lr=lr, dynamics_lr=dynamics_lr, weight_decay=weight_decay)
    material = Material.of(model, task, way, settings)
    state = TrainingState(model=model, optimiser=optimiser, walk=material.walk())
    keeper = Keeper.of(material, state, directory=snapshots, resume=resume, every=snapshot_every)
    keepers = () if keeper is None else (keeper,)
    rule = PlainGradient(model, material.objective)
    trainer = Trainer(material, rule, state, watchers=keepers)
    with torch.random.fork_rng(devices=[]):
        material.warm_up()
        torch.default_generator.manual_seed(draw_seed(seed, "dropout"))
        if keeper is not None:
            keeper.restore()
        score = trainer.run(on_epoch)
    model.eval()
    return record(material, state, score, notes=() if keeper is None else keeper.notes)

"""`find_lr`: the best of some learning rates, by short trainings on the training part alone."""

import copy
import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.registry import suggest
from timegrain.data.task import Task
from timegrain.models.options import whole
from timegrain.training.feasible import check_rate, check_task
from timegrain.training.held_out import SHARE, check_share, hold_out
from timegrain.training.plan.read import read_plan
from timegrain.training.score import check_interface
from timegrain.training.trainer.warming import warming_seconds
from timegrain.training.tuning.rate import LearningRate

if TYPE_CHECKING:
    from timegrain.training.plan.advice import PlanAdvice
    from timegrain.training.plan.plan import SubsamplingPlan
    from timegrain.training.stages import StageRow

RATES = (0.001, 0.003, 0.01, 0.03)
EPOCH_SHARE = 0.25
OF_A_WHOLE_TRAINING = frozenset(
    {"on_epoch", "snapshots", "resume", "snapshot_every", "patience", "validation", "log"}
)
"""Keywords of `train` that a short training has no use for."""
_SAID = frozenset({"stages", "plan", "epochs", "lr", "seed"})

OnRate = Callable[[float, float | None], None]


def find_lr(
    model: nn.Module | Callable[[], nn.Module],
    task: Task,
    *,
    rates: Iterable[float] = RATES,
    stages: "str | Iterable[StageRow | tuple[int, int]] | None" = None,
    plan: "SubsamplingPlan | PlanAdvice | str | None" = None,
    epochs: int | None = None,
    epoch_share: float = EPOCH_SHARE,
    validation: float = SHARE,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    on_rate: OnRate | None = None,
) -> LearningRate:
    """Return the best of some learning rates for the training that the other words describe.

    A copy of the network is trained at each rate, for a share of the epochs, on the training part
    without a held-out share, and scored on that share at full resolution. The test part is not
    looked at. A rate at which the training diverges has no score. Of equal scores the lower rate is
    taken, which is further from divergence.

    Args:
        model: The network, which is left as it is, or a function that returns a new one.
        task: What to learn.
        rates: To try.
        stages: As in `train`.
        plan: As in `train`.
        epochs: Of the whole training, as in `train`.
        epoch_share: Share of the epochs that each rate gets, at least one epoch a stage.
        validation: Share of the training part that is held out: whole groups or recordings where
            there are some.
        options: Further keywords of `train`, such as `{"batch_size": 32}`.
        seed: Of what is held out and of each training.
        on_rate: Called after each training with the rate and its score.

    Returns:
        The rate, with every score and the seconds that the search took, without those in which
        loops were compiled.

    Raises:
        ConfigError: If a word is outside its domain.
        DataError: If the training part is too small to hold a share of it out.
        ModelError: If the training diverges at every rate.

    Note:
        The best rate of a short training need not be the best of a long one, and scores of a small
        held-out part are coarse: neighbouring rates may differ by chance.

    Example:
        >>> from timegrain import build_model, load_task
        >>> task = load_task("ItalyPowerDemand")
        >>> net = build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0)
        >>> found = find_lr(net, task, rates=(0.003, 0.03), epochs=4)
        >>> found.lr in (0.003, 0.03), len(found.scores)
        (True, 2)
    """
    tried = _checked(rates)
    _check_epoch_share(epoch_share)
    whole("seed", seed, least=0)
    if on_rate is not None and not callable(on_rate):
        raise ConfigError(
            "on_rate is called after each rate",
            got=f"on_rate={on_rate!r:.60}",
            expected="a function of a rate and its score",
        )
    check_task(task, test=False)
    check_share("validation", validation)
    further = _further(options)
    net = _network(model)
    way = read_plan(task, stages=stages, plan=plan, epochs=epochs, seed=seed)
    total = sum(row.epochs for row in way.rows)
    short = max(round(epoch_share * total), len(way.plan.stages))
    inner = hold_out(task, validation, seed=seed).task
    started, warming = time.perf_counter(), warming_seconds()
    scores: list[float | None] = []
    for rate in tried:
        further |= {"plan": way.plan, "epochs": short, "lr": rate, "seed": seed}
        scores.append(_score(copy.deepcopy(net), inner, further))
        if on_rate is not None:
            on_rate(rate, scores[-1])
    known = [(score, -rate) for rate, score in zip(tried, scores, strict=True) if score is not None]
    if not known:
        raise ModelError(
            "the training diverges at every learning rate that was tried",
            got=", ".join(f"{rate:g}" for rate in tried),
            hint="lower rates, or looking for extreme values in the data",
        )
    return LearningRate(
        lr=-max(known)[1],
        rates=tried,
        scores=tuple(scores),
        metric=task.metric,
        epochs=short,
        n_train=len(inner.train),
        n_held_out=len(inner.test),
        seconds=time.perf_counter() - started - (warming_seconds() - warming),
    )


def _score(net: nn.Module, task: Task, options: Mapping[str, Any]) -> float | None:
    from timegrain.training.loop import train
    from timegrain.training.trainer.divergence import DivergedError

    try:
        return train(net, task, **options).score
    except DivergedError:
        return None


def _checked(rates: Iterable[float]) -> tuple[float, ...]:
    try:
        given = tuple(rates)
    except TypeError:
        given = ()
    if not given:
        raise ConfigError(
            "there are no learning rates to try",
            got=f"rates={rates!r}",
            expected="several numbers",
            hint=f"rates={RATES}",
        )
    for rate in given:
        check_rate("rates", rate)
    return tuple(sorted({float(rate) for rate in given}))


def _check_epoch_share(share: object) -> None:
    number = isinstance(share, int | float) and not isinstance(share, bool)
    if not (number and 0 < share <= 1):  # type: ignore[operator]
        raise ConfigError(
            "epoch_share is the share of the epochs that each rate is trained for",
            got=f"epoch_share={share!r:.60}",
            expected="above 0 and at most 1",
            hint=f"epoch_share={EPOCH_SHARE}",
        )


def _further(options: object) -> dict[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping) or not all(isinstance(word, str) for word in options):
        raise ConfigError(
            "options= takes keywords of train by name",
            got=f"options={options!r:.60}",
            expected="a dict with words as keys",
            hint="options={'batch_size': 32}",
        )
    _check_options(options)
    return dict(options)


def _check_options(options: Mapping[str, Any]) -> None:
    from timegrain.training.loop import train

    known = set(inspect.signature(train).parameters) - {"model", "task"}
    unknown = sorted(set(options) - known)
    if unknown:
        raise ConfigError(
            "train() has no such option",
            got=", ".join(unknown),
            hint=suggest(unknown[0], sorted(known), count=1) or "help(timegrain.train)",
        )
    wrong = sorted(set(options) & (OF_A_WHOLE_TRAINING | _SAID))
    if wrong:
        raise ConfigError(
            "a short training cannot be told this in options=",
            got=", ".join(wrong),
            hint=f"leaving it out; {', '.join(sorted(_SAID - {'lr'}))} stand beside options=",
        )


def _network(model: object) -> nn.Module:
    if isinstance(model, nn.Module):
        check_interface(model)
        return model
    if not callable(model):
        raise ModelError(
            "a network is needed, or a function that returns one",
            got=repr(model) if isinstance(model, str) else type(model).__name__,
            hint="build_model(...)",
        )
    with torch.random.fork_rng(devices=[]):
        made: nn.Module = model()
    check_interface(made)
    return made

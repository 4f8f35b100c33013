"""Results with realistic values, made without measuring anything."""

import math

import pytest

from timegrain.advice.judgement import Verdict
from timegrain.advice.sentence import Sentence
from timegrain.continuity.model.budget import ErrorBudget
from timegrain.continuity.model.result import ErrorRow, MemoryRow, ModelContinuity
from timegrain.continuity.task.result import ChannelContinuity, ProfileRow, TaskContinuity
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.training.baseline import BaselineScore
from timegrain.training.rate_transfer import TransferCurve, TransferRow
from timegrain.training.run import EpochRow, TrainingRun
from timegrain.training.stages import parse_stages, plan_name

STRIDES = (2, 4, 8, 16, 32, 64)

SETS = {
    "OSULeaf": (4.245e-4, 1.289e-3, 5.752e-3, 3.106e-2, 1.620e-1, 5.084e-1),
    "ecg": (2.1e-3, 9.6e-3, 4.1e-2, 0.17, 0.52, 0.83),
    "GunPoint": (1.399e-3, 1.286e-3, 4.056e-3, 2.011e-2, 1.144e-1, 2.899e-1),
    "mnist-row": (9.590e-2, 2.631e-1, 4.944e-1, 7.280e-1, 8.675e-1, 8.564e-1),
    "mnist-permuted": (0.994, 0.996, 0.999, 1.003, 1.006, 1.01),
    "python-source": (0.93, 0.985, 0.996, 0.999, 1.0, 1.0),
}


def provenance(seed=0, **parameters):
    return Provenance(
        timegrain="0.1.0",
        python="3.11.2",
        packages={"numpy": "2.4.0", "torch": "2.13.0"},
        platform="Linux x86_64",
        created="2026-05-01T12:00:00Z",
        seed=seed,
        parameters=parameters,
    )


def make_task(name="OSULeaf", values=None, channels=("0",), **changes):
    """A dataset whose channels have the given D, the last one rougher than the others."""
    values = SETS.get(name, SETS["OSULeaf"]) if values is None else values
    horizon = max([1, *(k for k, d in zip(STRIDES, values, strict=False) if d <= 0.05)])
    scales = {None: 1.0} | {c: 0.8 + 0.4 * i / len(channels) for i, c in enumerate(channels)}
    rows = [
        ProfileRow(channel=c, stride=k, dt=float(k), discontinuity=d, low=d * 0.9, high=d * 1.1)
        for c, scale in scales.items()
        for k, d in zip(STRIDES, (min(v * scale, 1.05) for v in values), strict=False)
    ]
    rough = values[0] > 0.3
    fields = {
        "name": name,
        "outcome": Outcome.ROUGH if rough else Outcome.MEASURED,
        "provenance": provenance(window=128, strides=list(STRIDES)),
        "reasons": {"exponent": "no fit of a rough profile", "nugget": "no fit"} if rough else {},
        "kind_of_data": "tokens" if name == "python-source" else "real",
        "dt": 1.0,
        "unit": "sample",
        "window": 128,
        "detrend": None,
        "tolerance": 0.05,
        "n_sequences": 442,
        "n_pieces": 1326,
        "n_samples": 169728,
        "n_dropped": 442,
        "n_skipped": 0,
        "n_missing": 0,
        "n_groups": 442,
        "group": "sequence",
        "profile": tuple(rows),
        "continuity": 1 - values[0],
        "interval": (1 - values[0] * 1.1, 1 - values[0] * 0.9),
        "exponent": None if rough else 2.6,
        "nugget": None if rough else 1e-4,
        "horizon": horizon,
        "horizon_open": horizon == STRIDES[-1],
        "horizon_time": float(horizon),
        "worst_channel": channels[-1],
        "intermittency": 0.4,
        "event_error": 0.03,
        "channels": tuple(
            ChannelContinuity(
                name=c,
                outcome=Outcome.MEASURED,
                continuity=1 - values[0],
                exponent=2.6,
                nugget=1e-4,
                horizon=horizon,
                horizon_open=False,
                event_error=0.03,
            )
            for c in channels
        ),
    }
    return TaskContinuity(**fields | changes)


def make_run(layer="s4d", task="OSULeaf", seed=0, stages="1:15", final=0.78, **changes):
    """A training whose score rises towards `final`."""
    rows, seconds, epoch, plan = [], 0.0, 0, parse_stages(stages)
    total = sum(s.epochs / s.stride for s in plan)
    for stage in plan:
        for _ in range(stage.epochs):
            epoch += 1
            seconds += 1.3 / stage.stride
            done = seconds / (1.3 * total)
            score = (
                0.18 + (final - 0.18) * (1 - math.exp(-3 * done)) + 0.02 * math.sin(epoch + seed)
            )
            rows.append(
                EpochRow(
                    epoch=epoch,
                    stride=stage.stride,
                    seconds=seconds,
                    train_loss=2.0 - done,
                    score=score,
                )
            )
    fields = {
        "name": f"{layer} on {task}, {plan_name(plan)}, seed {seed}",
        "outcome": Outcome.MEASURED,
        "provenance": provenance(seed, batch_size=16, lr=0.003),
        "model": {"name": layer, "d_model": 64, "n_layers": 2},
        "task": task,
        "seed": seed,
        "plan": plan_name(plan),
        "stages": plan,
        "n_parameters": 38_470 if layer == "s4d" else 41_158,
        "n_train": 200,
        "n_test": 242,
        "batch_size": 16,
        "dt_trained": 1.0,
        "unit": "sample",
        "metric": "accuracy",
        "trivial_score": 0.182,
        "score": rows[-1].score if rows else final,
        "low": 0.7,
        "high": 0.83,
        "seconds": rows[-1].seconds if rows else 0.0,
        "history": tuple(rows),
    }
    return TrainingRun(**fields | changes)


def make_curve(
    layer="s4d", task="OSULeaf", seed=0, told=(0.78, 0.79, 0.80), untold=None, **changes
):
    """A network at tau 1, 2 and 4."""
    untold = (told[0], told[1] - 0.15, told[2] - 0.35) if untold is None else untold
    rows = tuple(
        TransferRow(
            stride=k,
            tau_told=float(k) if is_told else 1.0,
            told=is_told,
            score=s + 0.01 * (seed or 0),
            low=s - 0.05,
            high=s + 0.05,
        )
        for is_told, scores in ((True, told), (False, untold))
        for k, s in zip((1, 2, 4), scores, strict=True)
    )
    fields = {
        "name": f"{layer} on {task}" + ("" if seed is None else f", full, seed {seed}"),
        "outcome": Outcome.MEASURED,
        "provenance": provenance(seed, strides=[1, 2, 4]),
        "notes": ("Every k-th sample of the test part.",),
        "model": {"name": layer, "d_model": 64},
        "task": task,
        "seed": seed,
        "plan": "full",
        "takes_tau": True,
        "dt_trained": 1.0,
        "unit": "sample",
        "metric": "accuracy",
        "trivial_score": 0.182,
        "n_test": 242,
        "scores": rows,
    }
    return TransferCurve(**fields | changes)


def make_baseline(task="OSULeaf", score=0.926, **changes):
    fields = {
        "name": f"random convolutions and a ridge on {task}, seed 0",
        "outcome": Outcome.MEASURED,
        "provenance": provenance(n_features=2000),
        "task": task,
        "seed": 0,
        "metric": "accuracy",
        "score": score,
        "low": score - 0.03,
        "high": score + 0.03,
        "trivial_score": 0.182,
        "n_features": 2000,
        "n_train": 200,
        "n_test": 242,
        "seconds": 1.9,
    }
    return BaselineScore(**fields | changes)


def make_model(name="s4d", amplitudes=(0.1, 1.0, 10.0), exponent=0.0, **changes):
    """A model of order 1 whose error grows with the amplitude to the power `exponent`."""
    errors = tuple(
        ErrorRow(amplitude=a, tau=2.0**-j, error=0.08 * a**exponent * 2.0**-j, layer="output")
        for a in amplitudes
        for j in range(6)
    )
    fields = {
        "name": name,
        "outcome": Outcome.CONVERGES,
        "provenance": provenance(amplitudes=list(amplitudes), length=64),
        "notes": ("Measured without the skip term D u.",),
        "scope": "layer",
        "protocol": "rescale",
        "refine": "exact",
        "norm": "sup",
        "signal": "sums of five sines",
        "dtype": "float64",
        "dt": 1.0,
        "unit": "sample",
        "length": 64,
        "levels": 6,
        "d_input": 64,
        "n_pairs": 20,
        "amplitudes": amplitudes,
        "takes_tau": True,
        "declared_order": 1,
        "order": 1.002,
        "interval": (0.998, 1.006),
        "levels_used": 6,
        "gci": 1e-3,
        "errors": errors,
        "orders": (),
        "memory": tuple(
            MemoryRow(amplitude=a, tau=2.0**-j, memory=9.0 + 0.1 * j, layer="output")
            for a in amplitudes
            for j in range(7)
        ),
        "amplitude_exponent": exponent,
        "amplitude_interval": (exponent - 0.03, exponent + 0.03),
        "outcomes": (),
        "layers": ("output",),
        "error_budget": ErrorBudget(rounding=1e-15, interpolation=0.0, reference=1e-6),
    }
    return ModelContinuity(**fields | changes)


def make_verdict(**changes):
    fields = {
        "name": "first verdict",
        "outcome": Outcome.MEASURED,
        "provenance": provenance(None),
        "notes": ("After ± stands the half width of a 95 % interval.",),
        "sentences": (
            Sentence(
                claim="law of alignment",
                text="The law of alignment did not hold here: the skill of S4D minus that of S6 "
                "is +0.12 on OSULeaf-permuted (continuity 0.02) and −0.02 on OSULeaf (continuity "
                "0.99958), a change of −0.14 ± 0.08 with 2 seeds on one pair of tasks.",
                holds=False,
            ),
            Sentence(
                claim="rate transfer",
                text="Trained on OSULeaf at its own rate and given every 2nd, 4th sample, S4D goes "
                "from 0.79 to 0.80, 0.81 told its step, so S4D keeps more than S6.",
                holds=True,
            ),
            Sentence(
                claim="coarse stages first",
                text="Whether coarse stages first give more for the same time cannot be said.",
                holds=None,
            ),
        ),
    }
    return Verdict(**fields | changes)


def make_everything():
    """What a demo hands over: six datasets, three models, two tasks, two seeds, a verdict."""
    results = [make_verdict(), *(make_task(name) for name in SETS)]
    results += [make_baseline(), make_baseline("OSULeaf-permuted", 0.61)]
    told = {"s4d": (0.78, 0.79, 0.80), "s6": (0.80, 0.63, 0.27)}
    untold = {"s4d": (0.78, 0.50, 0.30), "s6": (0.80, 0.40, 0.22)}
    for task, less in (("OSULeaf", 0.0), ("OSULeaf-permuted", 0.28)):
        for seed in (0, 1):
            for layer, final in (("s4d", 0.78), ("s6", 0.80)):
                results.append(make_run(layer, task, seed, final=final - less))
                staged = "8:20,4:15,2:10,1:5"
                results.append(make_run(layer, task, seed, stages=staged, final=final - less))
                scores = [[max(0.18, s - less) for s in by[layer]] for by in (told, untold)]
                results.append(make_curve(layer, task, seed, told=scores[0], untold=scores[1]))
    zoh = {"discretization": "zoh"}
    models = [make_model(), make_model("s6", exponent=0.52)]
    return [*results, *models, make_model("s6", exponent=0.18, options=zoh)]


class Factory:
    """The makers above, since tests cannot import a conftest."""

    task = staticmethod(make_task)
    run = staticmethod(make_run)
    curve = staticmethod(make_curve)
    baseline = staticmethod(make_baseline)
    model = staticmethod(make_model)
    verdict = staticmethod(make_verdict)
    everything = staticmethod(make_everything)
    provenance = staticmethod(provenance)


@pytest.fixture(scope="session")
def make():
    return Factory


@pytest.fixture(scope="session")
def demo():
    return make_everything()

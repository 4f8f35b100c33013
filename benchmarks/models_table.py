"""The tables of the benchmark of models, from the units that are done."""

import statistics

from models_units import BASELINE, Unit
from subsampling_table import interval


def table_of(sizes, done, tasks, models, versions, total):
    """Return one table a task in Markdown, below a line that says what it is.

    Args:
        sizes: The sizes.
        done: Results by unit.
        tasks: Names.
        models: Names.
        versions: What it was run with.
        total: Units there are in all.
    """
    words = ", ".join(f"{name} {version}" for name, version in versions.items())
    rates = ", ".join(f"{rate:g}" for rate in sizes.rates)
    partial = "" if len(done) == total else f"**{len(done)} of {total} units are done.** "
    head = (
        f"{partial}`python benchmarks/models.py`; {words}. Every layer with its default options, "
        f"{sizes.n_layers} blocks of {sizes.d_model} channels, batches of {sizes.batch_size}, the "
        f"same epochs at one cosine; the learning rate by `find_lr` from {rates} on a fifth of the "
        f"training part; at most {sizes.n_train} training and {sizes.n_test} test cases. Accuracy: "
        f"mean of {sizes.seeds} seeds with Student's 95 % interval over seeds, cut to 0..1. "
        "*Every 2nd*, *4th*: mean accuracy on so many of the samples, the network told `tau` where "
        "it takes it. *Seconds*: median of a training in one thread, scoring left out. "
        "*Baseline*: 2,000 random convolutions with a ridge. Two units at a time, each in one "
        f"thread; the trainings took {_minutes(done)} minutes in all. So few epochs and cases rank "
        "how fast a layer learns, not what it can learn."
    )
    parts = [head]
    for task in tasks:
        parts.append("\n".join(_task(sizes, done, task, models)))
    return "\n\n".join(parts)


def _minutes(done):
    return round(sum(run.get("seconds", 0.0) for run in done.values()) / 60)


def _task(sizes, done, task, models):
    baselines = _found(done, [Unit(kind=BASELINE, task=task, seed=s) for s in range(sizes.seeds)])
    lines = [
        f"**{task}**{_cases(baselines)}, {sizes.epochs_of(task)} epochs",
        "",
        "| model | accuracy | every 2nd | every 4th | seconds | parameters | rate |",
        "|---|---|---|---|---|---|---|",
    ]
    for model in models:
        units = [Unit(kind="train", task=task, model=model, seed=s) for s in range(sizes.seeds)]
        lines.append(_row(model, _found(done, units)))
    if baselines:
        seconds = statistics.median(run["seconds"] for run in baselines)
        lines.append(f"| baseline | {_score(baselines)} | | | {seconds:.1f} | | |")
        lines.append(f"| commonest class | {baselines[0]['trivial']:.3f} | | | | | |")
    return lines


def _row(model, runs):
    right = [run for run in runs if "score" in run]
    if not right:
        return f"| {model} | {'diverged' if runs else ''} | | | | | |"
    name = model if right[0]["takes_tau"] else f"{model} (not told)"
    lost = f", {len(runs) - len(right)} diverged" if len(right) < len(runs) else ""
    at = [statistics.mean(run["strides"][k] for run in right) for k in ("2", "4")]
    return (
        f"| {name} | {_score(right)}{lost} | {at[0]:.3f} | {at[1]:.3f} "
        f"| {statistics.median(run['seconds'] for run in right):.1f} "
        f"| {right[0]['n_parameters']:,} | {right[0]['lr']:g} |"
    )


def _score(runs):
    values = [run["score"] for run in runs]
    mean = f"{statistics.mean(values):.3f}"
    if len(values) == 1:
        return mean
    low, high = (min(max(end, 0.0), 1.0) for end in interval(values))
    return f"{mean} [{low:.3f}, {high:.3f}]"


def _cases(baselines):
    if not baselines:
        return ""
    return f", {baselines[0]['n_train']} training and {baselines[0]['n_test']} test cases"


def _found(done, units):
    return [done[unit] for unit in units if unit in done]

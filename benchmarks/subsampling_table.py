"""The tables of the benchmark of subsampling, from the units that are done."""

import statistics

import numpy as np

from subsampling_presets import Preset
from subsampling_units import ARMS, CHOICES, Unit, plan_of

NAMES = {
    "full": "full resolution",
    "auto": "auto",
    "auto-third": "auto, a third",
    "two-stages": "two stages",
    "length-warm-up": "length warm-up",
    "auto-restart": "a cosine a stage",
    "auto-untold": "stride not told",
    "auto-equal-epochs": "equal epochs",
}
REPLICATES = 1999


def page(preset: Preset, done, tasks, models, versions, total):
    """Return the page in Markdown.

    Args:
        preset: The sizes.
        done: Results by unit.
        tasks: Names.
        models: Names.
        versions: What it was run with; under "processors" their names.
        total: Units there are in all.
    """
    lines = [*_head(preset, versions, done, total), "", *_plans(preset, done, tasks, models)]
    for model in models:
        lines += ["", *_model(preset, done, tasks, model)]
    if "s4d" in models:
        lines += ["", *_choices(preset, done, tasks)]
    return "\n".join(lines) + "\n"


def _choices(preset, done, tasks):
    """Return what the plan does beside what it could do, where it leaves samples out."""
    lines = [
        "## What the plan could do otherwise",
        "",
        f"S4D, seeds: {preset.choice_seeds}. Mean score of *auto* (one cosine over all stages, "
        "each stage told its stride, coarse-heavy), and of the same plan with one thing changed, "
        "in as much time. *Rough* data are those that lines do not redraw at the coarsest stride.",
        "",
        "| task | rough | auto | " + " | ".join(NAMES[arm] for arm in CHOICES) + " |",
        "|" + "---|" * (3 + len(CHOICES)),
    ]
    for task in tasks:
        plan = done.get(plan_of(task, "s4d", preset))
        if plan is None or not plan["subsample"]:
            continue
        cells = []
        for arm in ("auto", *CHOICES):
            units = [
                Unit(kind=arm, task=task, model="s4d", seed=s) for s in range(preset.choice_seeds)
            ]
            scores = [done[u]["score"] for u in units if "score" in done.get(u, {})]
            cells.append(f"{statistics.mean(scores):.3f}" if scores else "")
        lines.append(f"| {task} | {'yes' if plan['rough'] else 'no'} | {' | '.join(cells)} |")
    return lines


def _clocks(done):
    """Say how many wall-clock seconds there were to one of the processor."""
    found = [run["wall"] / run["seconds"] for run in done.values() if run.get("wall")]
    if not found:
        return ""
    low, middle, high = np.quantile(found, [0.05, 0.5, 0.95])
    return f" (wall-clock {middle:.2f} times that, nine in ten {low:.2f} to {high:.2f})"


def _head(preset, versions, done, total):
    n_done = len(done)
    seeds = ", ".join(f"{model} {n}" for model, n in preset.seeds.items())
    cases = "all cases" if preset.n_train is None else f"at most {preset.n_train} training cases"
    grid = ", ".join(f"{rate:g}" for rate in preset.rates)
    processors = versions.get("processors", [])
    words = ", ".join(f"{n} {version}" for n, version in versions.items() if n != "processors")
    words += f"; on {', '.join(processors)}" * bool(processors)
    words += ", all arms of a task and a layer on one" * (len(processors) > 1)
    partial = [f"**{n_done} of {total} units are done.**", ""] * (n_done < total)
    return [
        "# What subsampling saves",
        "",
        *partial,
        f"`python benchmarks/subsampling.py --preset {preset.name}`; seeds: {seeds}; {cases} "
        + (f"(GRU {preset.n_train_gru}); " if preset.n_train_gru else "; ")
        + f"{preset.n_layers} blocks of {preset.d_model}, batches of {preset.batch_size}; "
        f"two units at a time, each in one thread. {words}.",
        "",
        f"Every arm of a cell has the learning rate that suits full resolution best, of {grid}, "
        "chosen by `find_lr` on a fifth of the training part; none is tuned for another arm. "
        "Arms other than *a third* are given as many epochs as should take the baseline's time, "
        "by the cost of an epoch at each stride (in the first table, timed before); *a third* "
        "gets a third of that. *auto* is `subsampling_plan(task)`, which sees the training part "
        "alone; where it declines, it is the baseline. *Two stages* are stride "
        f"{preset.two_stages} and 1, equal epochs, wherever they lead. *Length warm-up* "
        "truncates sequences, from an eighth, all of it from half-way on (Li et al. 2022). These "
        f"two have {preset.rival_seeds} seeds at most.",
        "",
        "Scores are of test cases after the last epoch. *Time* is an arm's training time until the "
        f"score of {preset.n_watch} watched test cases is at least the baseline's last one, over "
        "the baseline's whole training time, and *its own* the same of the baseline itself; the "
        "time to make the plan is not in it, and stands in the first table. Times are processor "
        "seconds of a unit's one thread, which other work on the machine does not lengthen"
        f"{_clocks(done)}. Brackets: Student's "
        "95 % interval over seeds; over two seeds, both values; with one seed, its 95 % interval "
        "over test cases.",
    ]


def _plans(preset, done, tasks, models):
    lines = [
        "| task | model | plan | label kept at stride 2, 4, 8, 16 | seconds to plan | rate "
        "| cost of an epoch at stride 2, 4, 8, 16 |",
        "|---|---|---|---|---|---|---|",
    ]
    for task in tasks:
        for model in models:
            plan = done.get(plan_of(task, model, preset))
            rate = done.get(Unit(kind="rate", task=task, model=model))
            if plan is None:
                continue
            kept = [
                "?" if value is None else f"{value:.2f}"
                for stride, value, _ in plan["retention"]
                if stride in (2, 4, 8, 16)
            ]
            text = plan["text"] if plan["subsample"] else "declines"
            lr = "" if rate is None else f"{rate['lr']:g}"
            cost = done.get(Unit(kind="cost", task=task, model=model), {"shares": []})
            shares = " ".join(f"{share:.2f}" for share in cost["shares"][1:5])
            lines.append(
                f"| {task} | {model} | {text} | {' '.join(kept)} | {plan['seconds']:.1f} | {lr} "
                f"| {shares} |"
            )
    return lines


def _model(preset, done, tasks, model):
    lines = [
        f"## {model}",
        "",
        "| task | trivial | " + " | ".join(NAMES[arm] for arm in ARMS) + " | time: its own "
        "| auto | two stages | length warm-up | seconds: full | auto | a third |",
        "|" + "---|" * (2 + len(ARMS) + 7),
    ]
    for task in tasks:
        runs = {
            arm: [
                found
                for seed in range(preset.seeds[model])
                if (found := done.get(Unit(kind=arm, task=task, model=model, seed=seed)))
            ]
            for arm in ARMS
        }
        if runs["full"]:
            lines.append(_row(task, runs))
    return [*lines, "", *_summary(preset, done, tasks, model)]


def _row(task, runs):
    full = runs["full"]
    trivial = full[0].get("trivial")
    scores = [_score_cell(runs[arm]) for arm in ARMS]
    times = [
        _time_cell(runs[arm], full) for arm in ("full", "auto", "two-stages", "length-warm-up")
    ]
    seconds = [_seconds_cell(runs[arm]) for arm in ("full", "auto", "auto-third")]
    cells = [task, "" if trivial is None else f"{trivial:.2f}", *scores, *times, *seconds]
    return "| " + " | ".join(cells) + " |"


def _score_cell(runs):
    values = [r["score"] for r in runs if "score" in r]
    if not values:
        return "diverged" if runs else ""
    if runs[0].get("declined"):
        return "declines"
    mean = f"{statistics.mean(values):.3f}"
    if len(values) == 1:
        low, high = runs[0]["low"], runs[0]["high"]
        return mean if low is None else f"{mean} [{low:.2f}, {high:.2f}]"
    low, high = interval(values)
    return f"{mean} [{low:.3f}, {high:.3f}]"


def _seconds_cell(runs):
    values = [r["seconds"] for r in runs if "seconds" in r]
    return f"{statistics.median(values):.1f}" if values else ""


def interval(values):
    """Return Student's 95 % interval of a mean; of two values, both of them."""
    if len(values) < 3:
        return min(values), max(values)
    from scipy.special import stdtrit

    half = stdtrit(len(values) - 1, 0.975) * statistics.stdev(values) / len(values) ** 0.5
    return statistics.mean(values) - half, statistics.mean(values) + half


def time_ratio(run, full):
    """Return the time to the baseline's last watched score over the baseline's time, or None."""
    wanted = full["history"][-1][2]
    at = next((seconds for seconds, _, score in run["history"] if score >= wanted), None)
    return None if at is None else at / full["seconds"]


def _time_cell(runs, full):
    pairs = [(r, f) for r, f in zip(runs, full, strict=False) if "score" in r and "score" in f]
    if not pairs:
        return ""
    ratios = [time_ratio(run, base) for run, base in pairs]
    reached = sorted(r for r in ratios if r is not None)
    if len(reached) < len(ratios):
        missed = f"never ({len(ratios) - len(reached)} of {len(ratios)})"
        return missed if not reached else f"{reached[0]:.2f}, {missed}"
    if len(reached) == 1:
        return f"{reached[0]:.2f}"
    return f"{statistics.median(reached):.2f} [{reached[0]:.2f}, {reached[-1]:.2f}]"


def _learned(runs):
    """Return whether the median seed is surely better than the trivial answer.

    The time to a baseline's score says nothing where any network has that score from the start.
    """
    lows = [run["low"] for run in runs if run.get("low") is not None]
    return bool(lows) and statistics.median(lows) > runs[0]["trivial"]


def _summary(preset, done, tasks, model):
    """Return medians over the tasks that are learned and on which the plan leaves samples out."""
    subsampled, learned = [], []
    for task in tasks:
        plan = done.get(plan_of(task, model, preset))
        if plan is None or not plan["subsample"]:
            continue
        subsampled.append(task)
        units = (
            Unit(kind="full", task=task, model=model, seed=seed)
            for seed in range(preset.seeds[model])
        )
        if _learned([run for unit in units if (run := done.get(unit)) and "score" in run]):
            learned.append(task)

    def cells(measure, arm):
        table = []
        for task in learned:
            row = []
            for seed in range(preset.seeds[model]):
                run = done.get(Unit(kind=arm, task=task, model=model, seed=seed))
                full = done.get(Unit(kind="full", task=task, model=model, seed=seed))
                usable = run and full and "score" in run and "score" in full
                if usable and not run.get("declined"):
                    row.append(measure(run, full))
            if row:
                table.append(row)
        return table

    def never_is_infinite(run, full):
        ratio = time_ratio(run, full)
        return np.inf if ratio is None else ratio

    measures = (
        ("auto: time to the baseline's score, as a share of its time", never_is_infinite, "auto"),
        ("auto: score minus the baseline's, in as much time", _gain, "auto"),
        ("auto: its whole time, as a share of the baseline's", _share, "auto"),
        ("auto, a third of the time: score minus the baseline's", _gain, "auto-third"),
        ("auto, a third of the time: share of the baseline's time", _share, "auto-third"),
    )
    lines = [
        "Medians over tasks on which the plan leaves samples out and full resolution learns "
        "something (the median seed is surely better than the trivial answer), with a 95 % "
        "interval by drawing tasks, and seeds within them, anew:",
        "",
    ]
    for words, measure, arm in measures:
        table = cells(measure, arm)
        if table:
            low, high = redrawn(table)
            value = statistics.median(np.median(row) for row in table)
            n = len(table)
            noun = "task" if n == 1 else "tasks"
            lines.append(f"- {words}: **{value:.2f}** [{low:.2f}, {high:.2f}], {n} {noun}")
    declined = [
        t for t in tasks if (plan := done.get(plan_of(t, model, preset))) and not plan["subsample"]
    ]
    lines.append(f"- the plan declines on: {', '.join(declined) or 'none'}")
    unlearned = [task for task in subsampled if task not in learned]
    if unlearned:
        lines.append(f"- full resolution learns nothing sure, left out: {', '.join(unlearned)}")
    return lines


def _gain(run, full):
    return run["score"] - full["score"]


def _share(run, full):
    return run["seconds"] / full["seconds"]


def redrawn(table):
    """Return the 95 % interval of the median over tasks of the median over seeds."""
    random = np.random.default_rng(0)
    medians = []
    for _ in range(REPLICATES):
        rows = [table[i] for i in random.integers(len(table), size=len(table))]
        drawn = [np.median(random.choice(row, size=len(row))) for row in rows]
        medians.append(np.median(drawn))
    low, high = np.quantile(medians, [0.025, 0.975], method="nearest")
    return float(low), float(high)

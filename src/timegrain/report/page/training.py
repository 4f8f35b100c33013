"""The sections on trained networks: other rates, score over time, and the comparison."""

from collections.abc import Container, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING

from timegrain.report.figures.clock import groups_of, pace, pace_words, plans_of
from timegrain.report.figures.rates import transfer, transfer_words
from timegrain.report.figures.style import display
from timegrain.report.figures.words import metric_name, ordinal, unique
from timegrain.report.page.numbers import MISSING, Cell, between, fixed, significant
from timegrain.report.page.parts import Plate, Section, Table, attributed, named
from timegrain.training.plan.advice import PLAN_NOTE
from timegrain.training.remarks import tuned, unlearned_sentences
from timegrain.training.run import TrainingRun, stages_done
from timegrain.training.saving import (
    CLOSE,
    FASTER,
    LOSS,
    QUESTION,
    SAVING_NOTE,
    saving_texts,
    savings,
)

if TYPE_CHECKING:
    from timegrain.training.baseline import BaselineScore
    from timegrain.training.rate_transfer import TransferCurve
    from timegrain.training.saving import Saving

_BASELINE = "baseline"
_BASELINE_TITLE = "random convolutions and a ridge, no training loop"


def transfer_section(results: "Sequence[TransferCurve]") -> Section:
    """Return the section on trained networks that are given every k-th sample."""
    return Section(
        key="rates",
        heading="Do trained networks survive another sampling rate?",
        lead=(
            f"The network is not trained again: it is given every {_strides(results)} sample of "
            "the sequences it was tested on, and either told so or not."
        ),
        plates=(transfer_plate(results),),
        notes=_notes(results),
    )


def transfer_plate(results: "Sequence[TransferCurve]", name: str = "") -> Plate:
    """Return the figure of networks at other rates, and those of each task alone."""
    tasks = unique([r.task for r in results])
    alone = tasks if len(tasks) > 1 else []
    parts = tuple(transfer_plate([r for r in results if r.task == t], t) for t in alone)
    words, how = transfer_words(results), {tuned(r) for r in results}
    if len(how) == 1 and how != {""}:
        (text,) = how
        words = replace(words, title=f"{text.capitalize()}: {words.title}")
    return Plate(
        draw=lambda width: transfer(results, width=width, title=False),
        words=words,
        name=name,
        parts=parts,
    )


def _pace_plate(results: "Sequence[TrainingRun]", name: str = "") -> Plate:
    tasks = unique([r.task for r in results])
    alone = tasks if len(tasks) > 1 else []
    parts = tuple(_pace_plate([r for r in results if r.task == t], t) for t in alone)
    return Plate(
        draw=lambda width: pace(results, width=width, title=False),
        words=pace_words(results),
        name=name,
        parts=parts,
    )


def pace_section(results: "Sequence[TrainingRun]", *, planned: Container[str] = ()) -> Section:
    """Return the section on score over training time.

    Args:
        results: One a training, at least one.
        planned: Names of tasks whose plan has a section of its own, with its reasons.
    """
    heading, lead = "Score over training time", "The score after every epoch."
    if any(len(plans_of(runs)) > 1 for runs in groups_of(results).values()):
        heading = QUESTION
        lead = (
            "Training may begin on few samples of each sequence, where an epoch costs little, and "
            "end on all of them."
        )
    found = savings(results)
    texts = saving_texts(results)
    lead = f"{lead} Time is training time on one machine, evaluation left out."
    if len(found) == 1:
        lead += f" {texts[0]}"
    return Section(
        key="time",
        heading=heading,
        lead=lead,
        plates=(_pace_plate(results),),
        tables=(_saved(found),) if len(found) > 1 else (),
        notes=(
            *_notes(results, without_savings=bool(found), planned=planned),
            *_unlearned(results),
            *texts[len(found) :],
        ),
    )


def _strides(results: "Sequence[TransferCurve]") -> str:
    """Return the strides above 1 as `2nd, 4th or 8th`."""
    found = sorted({row.stride for r in results for row in r.scores if row.stride > 1})
    names = [ordinal(k) for k in found]
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _saved(found: "Sequence[Saving]") -> Table:
    return Table(
        caption=(
            "Stages beside full resolution, scores and seconds as medians over the seeds. The "
            f"verdict is pays where they end within {CLOSE:g} of it after at most {FASTER:g} of "
            f"the time and a loss of {LOSS:g} is ruled out, does not pay where they surely end "
            "lower or take as long, and cannot tell elsewhere. Seconds are those after which a "
            "training stays that "
            "near to what full resolution ends with. Samples are those of all stages over those of "
            "as many epochs at full resolution; seeds are those that end as near."
        ),
        header=(
            "Task",
            "Model",
            "Stages",
            QUESTION,
            "Full ends at",
            "Stages end at",
            "Difference",
            "Full: seconds",
            "Stages: seconds",
            "Share of time",
            "Share of samples",
            "Seeds",
        ),
        rows=tuple(_saved_row(s) for s in found),
    )


def _saved_row(s: "Saving") -> tuple[Cell, ...]:
    nothing = Cell(text=MISSING, title="full resolution learned nothing for sure")
    never = nothing if not s.learned else Cell(text=MISSING, title="the stages end further below")
    timed = s.learned and s.staged is not None
    d = s.difference
    ends = "" if d.low is None or d.high is None else between(d.low, d.high)
    return (
        Cell(text=s.task),
        Cell(text=display(s.layer)),
        Cell(text=(s.done or s.plan).replace(",", " ")),
        Cell(text=s.verdict, title=s.why),
        Cell(text=fixed(s.score, 3)),
        Cell(text=fixed(s.staged_score, 3)),
        Cell(text=fixed(d.value, 3), more=ends, title=d.over) if s.learned else nothing,
        Cell(text=significant(s.full.seconds)) if s.learned else nothing,
        Cell(text=significant(s.staged.seconds)) if timed and s.staged else never,
        Cell(text=f"× {fixed(s.time_share, 2)}") if timed else never,
        Cell(text=f"× {fixed(s.seen, 2)}"),
        Cell(text=f"{s.reached} of {s.seeds}") if s.learned else nothing,
    )


def _notes(
    results: "Sequence[TransferCurve | TrainingRun]",
    *,
    without_savings: bool = False,
    planned: Container[str] = (),
) -> tuple[str, ...]:
    """Return the notes once, without what the section, or that of the plan, says itself."""
    holders: dict[str, list[TransferCurve | TrainingRun]] = {}
    for r in results:
        for note in r.notes:
            saved = without_savings and note.startswith(SAVING_NOTE)
            if not (saved or _is_summed_up(note, results) or _is_of_plan(note, r.task, planned)):
                holders.setdefault(note, []).append(r)
    return tuple(_whose(of, results) + note for note, of in holders.items())


def _is_of_plan(note: str, task: str, planned: Container[str]) -> bool:
    return task in planned and note.startswith(PLAN_NOTE)


def _is_summed_up(note: str, results: "Sequence[TransferCurve | TrainingRun]") -> bool:
    runs = [r for r in results if isinstance(r, TrainingRun)]
    return len(runs) > 1 and any(note in unlearned_sentences(r) for r in runs)


def _unlearned(results: "Sequence[TrainingRun]") -> tuple[str, ...]:
    """Return one sentence on all trainings that are not surely better than the trivial answer."""
    those = [r for r in results if unlearned_sentences(r)]
    if len(results) < 2 or not those:
        return ()
    which = _whose(those, results).removesuffix(": ") or "all trainings"
    return (
        "Not surely better than the trivial answer, by the 95 % interval over the test part: "
        f"{which}.",
    )


def _whose(
    of: "Sequence[TransferCurve | TrainingRun]", results: "Sequence[TransferCurve | TrainingRun]"
) -> str:
    """Return `S4D on x, S6 on x, full, seed 1: ` for some of the results; empty for all."""
    if len(of) == len(results):
        return ""
    names = []
    for key in dict.fromkeys((r.layer, r.task) for r in of):
        mine = [r for r in of if (r.layer, r.task) == key]
        network = f"{display(key[0])} on {key[1]}"
        every = len(mine) == sum((r.layer, r.task) == key for r in results)
        names += [network] if every else [f"{network}, {_training(r)}" for r in mine]
    return f"{'; '.join(unique(names))}: "


def _training(r: "TransferCurve | TrainingRun") -> str:
    seed = [] if r.seed is None else [f"seed {r.seed}"]
    return ", ".join([*([r.plan.replace(",", " ")] if r.plan else []), *seed])


def comparison_section(
    runs: "Sequence[TrainingRun]", baselines: "Sequence[BaselineScore]"
) -> Section:
    """Return the table of networks on every task, beside the baseline where there is one."""
    return Section(
        key="scores",
        heading="Scores side by side",
        lead=(
            "Every network beside a baseline without a training loop and beside the trivial "
            "answer, the commonest class or the mean."
            if baselines
            else "Every network beside the trivial answer, the commonest class or the mean."
        ),
        tables=(_table(runs, baselines),),
        notes=attributed(pair for b in baselines for pair in named(b.task, b.notes)),
    )


def _table(runs: "Sequence[TrainingRun]", baselines: "Sequence[BaselineScore]") -> Table:
    rows: list[tuple[Cell, ...]] = []
    for task in unique([*(r.task for r in runs), *(b.task for b in baselines)]):
        rows += _rows_of_task(
            task, [r for r in runs if r.task == task], [b for b in baselines if b.task == task]
        )
    table = Table(
        caption=(
            "Scores on the test part with the weights of the last epoch, or with those that early "
            "stopping kept; below the mean the widest over seeds of the 95 % intervals over test "
            "sequences, or over the groups that they belong to. Stages read stride:epochs; seconds "
            "are the median over seeds."
        ),
        header=(
            "Task",
            "Model",
            "Stages",
            "Metric",
            "Mean score",
            "Each seed",
            "Trivial",
            "Seconds",
            "Parameters",
        ),
        rows=tuple(rows),
    )
    metrics = unique(table.column("Metric"))
    if len(metrics) > 1:
        return table
    header = tuple(f"Mean {metrics[0]}" if h == "Mean score" else h for h in table.header)
    return replace(table, header=header).without("Metric")


def _rows_of_task(
    task: str, runs: "Sequence[TrainingRun]", baselines: "Sequence[BaselineScore]"
) -> list[tuple[Cell, ...]]:
    rows = [_baseline_row(baselines)] if baselines else []
    for (_, layer), group in groups_of(runs).items():
        rows += [_row(layer, of) for of in plans_of(group).values()]
    return [(Cell(text=task, again=i > 0), *row) for i, row in enumerate(rows)]


def _row(layer: str, runs: "Sequence[TrainingRun]") -> tuple[Cell, ...]:
    return (
        Cell(text=display(layer)),
        Cell(text=" / ".join(unique([stages_done(r).replace(",", " ") for r in runs]))),
        *_scores(runs),
        Cell(text=significant(median(r.seconds for r in runs))),
        Cell(text=" / ".join(unique([f"{r.n_parameters:,}" for r in runs]))),
    )


def _baseline_row(scores: "Sequence[BaselineScore]") -> tuple[Cell, ...]:
    return (
        Cell(text=_BASELINE, title=_BASELINE_TITLE),
        Cell(text=MISSING, title="it has no training loop"),
        *_scores(scores),
        Cell(text=significant(median(s.seconds for s in scores))),
        Cell(text=f"{scores[0].n_features:,}", title="features of the ridge"),
    )


def _scores(results: "Sequence[TrainingRun | BaselineScore]") -> tuple[Cell, ...]:
    ordered: list[TrainingRun | BaselineScore] = sorted(results, key=lambda r: r.seed)
    return (
        Cell(text=metric_name(ordered[0].metric)),
        _mean(ordered),
        Cell(
            text=", ".join(fixed(r.score, 3) for r in ordered),
            title="seed " + ", ".join(str(r.seed) for r in ordered),
        ),
        Cell(text=fixed(ordered[0].trivial_score, 3)),
    )


def _mean(results: "Sequence[TrainingRun | BaselineScore]") -> Cell:
    text = fixed(fmean(r.score for r in results), 3)
    low = [r.low for r in results if r.low is not None]
    high = [r.high for r in results if r.high is not None]
    if not low or not high:
        return Cell(text=text, title="no interval: fewer than two test sequences or groups of them")
    return Cell(text=text, more=between(min(low), max(high)))

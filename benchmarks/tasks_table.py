"""The tables of docs/tasks.md, from the cards and the units that are done."""

from tasks_cards import above_trivial
from tasks_units import BASELINE, CONTINUITY, LENGTH, MODEL, MORE, Unit, units_of

ORIGINS = {
    "generated": "Generated",
    "package": "From installed packages",
    "machine": "Made on the machine",
    "folder": "From a folder of yours",
}
UNKNOWN = "not yet"
LEARNABLE = {True: "yes", False: "no", None: "?"}


def tables_of(sizes, cards, done, versions):
    """Return a table for each origin in Markdown, then every card in words.

    Args:
        sizes: Of the benchmark.
        cards: All of them.
        done: Results by unit; what is not there is not measured yet.
        versions: What it was run with; empty where nothing was.
    """
    parts = [_head(sizes, cards, done, versions)]
    for origin, title in ORIGINS.items():
        some = [card for card in cards if card.origin == origin]
        if some:
            parts += [f"### {title}", "\n".join(_table(sizes, some, done))]
    parts.append("### The cards")
    parts += [_words(card) for card in cards]
    return "\n\n".join(parts)


def _head(sizes, cards, done, versions):
    total = len(units_of(cards))
    words = ", ".join(f"{name} {version}" for name, version in versions.items())
    state = "" if len(done) == total else f"**{len(done)} of {total} measurements are done.** "
    run = f"`python benchmarks/tasks.py`{f'; {words}' if words else ''}. "
    return (
        f"{state}{run}*Continuity* is `1 - D(2)` in windows of {sizes.window} samples, of at most "
        f"{sizes.n_sequences} sequences, with its 95 % interval. *Baseline*: 2,000 random "
        f"convolutions with a ridge. *{sizes.model}*: {sizes.n_layers} blocks of {sizes.d_model} "
        f"channels, {sizes.epochs[0]} to {sizes.epochs[1]} epochs at rate {sizes.lr:g}, one seed, "
        "read out at the last sample in forecasts and made symbols, else averaged. "
        f"Both learn from at most {sizes.n_train} cases of {LENGTH:,} samples and are scored on at "
        f"most {sizes.n_test}: {MORE[0]} and {MORE[1]} times as many where cases are short, fewer "
        f"where they are longer than {sizes.most_samples // sizes.n_train:,}. The 95 % interval is "
        "over test cases; *(trivial)* where its lower end is not above the score of the commonest "
        "class or the mean among those cases. "
        "*Trivial* is that score on the whole test part. *Learnable* is what the card says of "
        "both, as it was measured: whether that lower end is above it; a task that they fail may "
        "be learnt from more cases, or by a larger network. *Length*: samples x channels, or of "
        "symbols. Tables go from continuous to not; tasks of which that is not known come last."
    )


def _table(sizes, cards, done):
    lines = [
        "| task | answer | train / val. / test | length | trivial | learnable | continuity "
        f"| baseline | {sizes.model} |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for card in _smooth_first(cards, done):
        found = {k: done.get(Unit(kind=k, task=card.name)) for k in (CONTINUITY, BASELINE, MODEL)}
        lines.append(f"| `{card.name}` | {_known(card)} | {_measured(card, found)} |")
    return lines


def _smooth_first(cards, done):
    """Return cards from continuous to not, as printed; then those of which that is not known."""

    def place(card):
        result = done.get(Unit(kind=CONTINUITY, task=card.name), {})
        known = "continuity" in result
        return not known, -round(result["continuity"], 3) if known else 0.0, card.name

    return sorted(cards, key=place)


def _known(card):
    return " | ".join((*_asked(card.problem), _length(card.size), *_trivial(card.problem)))


def _asked(problem):
    if problem is None:
        return "", ""
    if problem.classes is not None:
        answer = f"{problem.classes} classes"
    else:
        answer = "a value" if problem.outputs == 1 else f"{problem.outputs} values"
    if problem.per_sample:
        answer += " a sample"
    parts = (problem.train, problem.validation, problem.test)
    return answer, " / ".join(f"{n:,}" if n else "-" for n in parts)


def _length(size):
    if size is None:
        return ""
    long = f"{size.longest}" if size.shortest == size.longest else f"{size.shortest}-{size.longest}"
    return f"{long} x {size.width}" if size.kind == "real" else long


def _trivial(problem):
    if problem is None:
        return "", ""
    said = (problem.learnable.baseline, problem.learnable.model)
    return f"{problem.trivial:z.3f}", " / ".join(LEARNABLE[word] for word in said)


def _measured(card, found):
    if card.origin == "folder":
        return " |  | "
    cells = [_continuity(found[CONTINUITY])]
    for kind in (BASELINE, MODEL):
        cells.append("" if card.problem is None else _score(found[kind]))
    return " | ".join(cells)


def _continuity(result):
    if result is None:
        return UNKNOWN
    if "reason" in result:
        return f"none: {_cell(result['reason'])}"
    return f"{result['continuity']:.3f}{_interval(result)}"


def _score(result):
    if result is None:
        return UNKNOWN
    if "reason" in result:
        return f"none: {_cell(result['reason'])}"
    mark = "" if above_trivial(result) else " (trivial)"
    return f"{result['score']:.3f}{_interval(result)}{mark}"


def _interval(result):
    if result["low"] is None:
        return ""
    return f" [{result['low']:.3f}, {result['high']:.3f}]"


def _cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def _words(card):
    lines = [f"**`{card.name}`**, version {card.version}. {card.what}"]
    if card.problem is not None:
        lines.append(f"Asked: {card.problem.asks}.")
    if card.problem is not None and card.problem.words:
        words = ", ".join(f"{word}={value!r}" for word, value in card.problem.words.items())
        lines.append(f'The task is `load_task("{card.name}", {words})`.')
    if card.origin == "folder":
        lines.append(f'It is read by `load_dataset("{card.name}:FOLDER")`.')
    lines += card.notes
    lines.append(f"Source: {card.source.rstrip('.')}.")
    lines.append(f"Terms: {card.licence}")
    for score in card.literature:
        lines.append(
            f"Published: {score.model}, {score.metric} {score.score:g} on {score.on} "
            f"({score.source})."
        )
    return " ".join(lines)

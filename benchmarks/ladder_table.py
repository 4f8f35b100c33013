"""The page of what a ladder costs."""

import statistics

MOST = 2.5
PARTS = {
    "levels": "levels",
    "twins": "inputs",
    "compared": "reading outputs",
    "norms": "norms, memory",
    "rest": "rest",
}
HEAD = """# What a ladder costs

A ladder runs a model on grids of step `dt, dt/2, .., dt/2^{levels}`, each on a signal and on its
twin with a bump, at every amplitude. The work of a run that grows in proportion to its length
halves from level to level, so that all levels together take at least {floor:.2f} times what the
finest one takes; the target is {most:g} times, for all that a ladder does.

**Bare ladder**: for one pair of a layer and a signal, with the signal at hand on the finest grid,
everything up to the pair's differences, orders, limit, errors and memories: writing the inputs of
every level, running them, looking for numbers that are not finite, norms. **With drawing**: the
five sines of each channel are drawn and sampled as well. Not in it: making the layer's weights, and
what is done once for all pairs (error budget, medians, outcome). **Forward**: one call of the layer
on the finest level's batch of all amplitudes and twins, lying ready in memory, without gradients.

{machine}
One thread, processor time, glibc told to keep its memory; {rounds} rounds, in which ladder and
forward take turns. Ratios are formed within a round; given are medians, in brackets the quartiles.
d_model {d_model}, length {length}, levels {levels}, float64, as `model_continuity` has them.
*Peak* is how much one of them raises the memory of a process of its own, with malloc's defaults;
`timegrain model` prints the peak of its whole process.

{verdict}

"""
SHARES = """
## Where the time goes

Each as a multiple of one forward, medians, timed inside the ladder (which the timing slows a
little, so that sums are not the ratios above). *Levels*: all calls of the layer. *Inputs*: the
batch of every level, written. *Reading outputs*: the distance of twins at every time in one pass,
and the outputs at the times of the coarsest grid. *Norms, memory*: differences, orders, limit,
errors; integrals. *Rest*: Python between them, readings of the memory in use.
*Levels alone*: the same calls one after the other with nothing between them, which no ladder
undercuts.
"""


def page_of(rows, sizes, machine, rounds):
    """Return the page.

    Args:
        rows: As `ladder.rows` makes them.
        sizes: Of the ladders.
        machine: What it was measured on.
        rounds: How many.
    """
    floor = sum(2.0**-j for j in range(sizes["levels"] + 1))
    head = HEAD.format(
        **sizes, floor=floor, most=MOST, rounds=rounds, machine=_machine(machine),
        verdict=_verdict(rows),
    )  # fmt: skip
    return head + _costs(rows) + SHARES + _shares(rows)


def _machine(m):
    versions = ", ".join(f"{k} {v}" for k, v in m["versions"].items() if v and k in _NAMED)
    return (
        f"`python benchmarks/ladder.py`; {m['processor']}, Python {m['python']}, {versions}, load "
        f"before the start {m['load']}."
    )


_NAMED = ("timegrain", "torch", "numba", "numpy")


def ratios(row, *, drawing=False):
    """Return the ladder's time over a forward's, by round."""
    s = row["seconds"]
    whole = zip(s["ladder"], s["draw"], s["forward"], strict=True)
    return [(ladder + drawing * draw) / forward for ladder, draw, forward in whole]


def _verdict(rows):
    missed = [row for row in rows if statistics.median(ratios(row)) > MOST]
    if not missed:
        return f"The bare ladder takes at most {MOST:g} forwards for every layer."
    words = ", ".join(f"{row['model']} at {_amplitudes(row)}" for row in missed)
    return f"**Above {MOST:g}**: {words}. All others are within it."


def _amplitudes(row):
    n = row["amplitudes"]
    return f"{n} amplitudes" if n > 1 else "1 amplitude"


def _costs(rows):
    lines = [
        "| layer | amplitudes | forward | bare ladder | ratio | with drawing | peak: ladder | "
        "peak: forward |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        s, peak = row["seconds"], row["peak"]
        cells = [
            row["model"],
            str(row["amplitudes"]),
            _ms(s["forward"]),
            _ms(s["ladder"]),
            _spread(ratios(row)),
            f"{statistics.median(ratios(row, drawing=True)):.2f}",
            *(f"{peak[k]:.0f} MB" if k in peak else "-" for k in ("ladder", "forward")),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _shares(rows):
    lines = [
        f"| layer | amplitudes | levels alone | {' | '.join(PARTS.values())} | drawing |",
        "|---" * (len(PARTS) + 4) + "|",
    ]
    for row in rows:
        forward = statistics.median(row["seconds"]["forward"])
        alone, draw = (statistics.median(row["seconds"][k]) / forward for k in ("levels", "draw"))
        parts = [row["parts"][key] / forward for key in PARTS]
        cells = [row["model"], str(row["amplitudes"])]
        lines.append("| " + " | ".join(cells + [f"{x:.2f}" for x in (alone, *parts, draw)]) + " |")
    return "\n" + "\n".join(lines) + "\n"


def _ms(seconds):
    return f"{1e3 * statistics.median(seconds):.1f} ms"


def _spread(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"

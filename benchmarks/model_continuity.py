"""Order, memory, amplitude law and outcome of every registered layer, at its initialisation.

    python benchmarks/model_continuity.py

What `timegrain model NAME --amplitudes 0.1,1,10` measures with its defaults, 20 seeds of layer and
signal, for each name; the table is docs/results/model-continuity.md. About four minutes of one
core. Layers that are there already (in --output) are not measured again.
"""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from process import MALLOC, ONE_THREAD, start_again
from timegrain import Outcome
from units import Folder, Work, independent, run, versions

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results" / "model-continuity.md"
AMPLITUDES = (0.1, 1.0, 10.0)
SIZES = {"seeds": 20, "amplitudes": AMPLITUDES}


@dataclass(frozen=True, kw_only=True)
class Unit:
    layer: str
    d_conv: int | None = None  # another span of the short convolution than the default

    @property
    def name(self):
        return self.layer if self.d_conv is None else f"{self.layer}-d_conv-{self.d_conv}"

    @property
    def words(self):
        return self.layer if self.d_conv is None else f"{self.layer}, `d_conv={self.d_conv}`"


def units_of(layers):
    """Return all layers, those whose short convolution can be left out a second time without."""
    units = []
    for name in layers:
        units.append(Unit(layer=name))
        if name in ("deltanet", "gated_deltanet"):
            units.append(Unit(layer=name, d_conv=0))
    return units


def carry_out(unit, sizes, found):
    from timegrain import model_continuity

    begun = time.process_time()
    options = None if unit.d_conv is None else {"d_conv": unit.d_conv}
    result = model_continuity(
        unit.layer, amplitudes=sizes["amplitudes"], seeds=sizes["seeds"], options=options
    )
    memory = [r.memory for r in sorted(result.memory or (), key=lambda r: -r.tau)
              if r.amplitude == 1.0]  # fmt: skip
    error = [r.error for r in result.errors if (r.amplitude, r.tau) == (1.0, 1.0)]
    return {
        "outcome": result.outcome.name,
        "told": result.protocol == "rescale",
        "order": result.order,
        "interval": result.interval,
        "exponent": result.amplitude_exponent,
        "exponent_interval": result.amplitude_interval,
        "memory": [memory[0], memory[-1]] if memory else None,
        "error": error[0] if error else None,
        "seconds": time.process_time() - begun,
    }


def page(done, made, units):
    words = ", ".join(f"{name} {version}" for name, version in made.items())
    lines = [
        "# Is a layer continuous? All eighteen, at their initialisation",
        "",
        f"`python benchmarks/model_continuity.py`; {words}. The layer alone with its default "
        "options, 64 channels, without its skip term, in float64; five sines a channel, 64 samples "
        "at tau 1, halved six times; 20 seeds of layer and signal, medians with 95 % intervals. "
        "*Error*: at tau 1 and amplitude 1, of the limit's largest value. *Memory*: from tau 1 to "
        "tau 1/64, in steps of tau 1. *Exponent*: with which power of the amplitude the error "
        "constant grows, over 0.1, 1 and 10. A trained layer may do otherwise: "
        "`timegrain model my_code:net`.",
        "",
        "| layer | told | outcome | order | error | memory | exponent |",
        "|---|---|---|---|---|---|---|",
    ]
    for unit in units:
        r = done.get(unit)
        if r is None:
            continue
        memory = "" if r["memory"] is None else " to ".join(f"{m:.3g}" for m in r["memory"])
        cells = [
            unit.words,
            "yes" if r["told"] else "no",
            r["outcome"],
            _figure(r["order"], r["interval"]),
            "" if r["error"] is None else f"{r['error']:.2g}",
            memory,
            _figure(r["exponent"], r["exponent_interval"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_reading([r["outcome"] for r in done.values()])]) + "\n"


def _reading(outcomes):
    """Return what the outcomes that occur mean."""
    return [
        f"- `{outcome.name}` ({outcomes.count(outcome.name)} of {len(outcomes)} rows): {words}"
        for outcome, words in (
            (Outcome.CONVERGES, "told its step, the layer tends to one answer in continuous time."),
            (
                Outcome.PRE_ASYMPTOTIC,
                "differences shrink, but on these grids not yet at a settled order: more levels "
                "(`timegrain model NAME --levels 8`) show whether it does.",
            ),
            (
                Outcome.MEMORY_COLLAPSES,
                "the answers converge, to something that remembers nothing: the layer counts "
                "samples, and cannot be told how far apart they are.",
            ),
        )
        if outcome.name in outcomes
    ]


def _figure(value, interval):
    if value is None:
        return ""
    return _two(value) if interval is None else f"{_two(value)} [{', '.join(map(_two, interval))}]"


def _two(value):
    return f"{value:.2f}".replace("-0.00", "0.00")


def work_of():
    return Work(sizes=SIZES, carry_out=carry_out, needs=independent, say=outcome)


def outcome(result):
    return f"{result['outcome']}, order {result['order']}, {result['seconds']:.0f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / ".cache" / "model-continuity")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--jobs", type=int, default=2, help="layers at a time, each in one thread")
    arguments = parser.parse_args()
    start_again({**MALLOC, **ONE_THREAD})
    from models_units import MODELS

    units = units_of(MODELS)
    folder = Folder(arguments.output, SIZES)
    work = work_of()
    complete = run(units, folder, work, jobs=arguments.jobs)
    done = {unit: result for unit in units if (result := folder.read(unit)) is not None}
    text = page(done, versions(), units)
    print(text)
    if complete:
        arguments.page.write_text(text, encoding="utf-8")
        print(f"written: {arguments.page}", file=sys.stderr)


if __name__ == "__main__":
    main()

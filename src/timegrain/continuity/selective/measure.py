"""What selective layers select, and where their errors come from: `selectivity`."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.how_refined import how_called
from timegrain.continuity.model.introspect import model_name
from timegrain.continuity.model.medians import few_pairs
from timegrain.continuity.model.options import ModelOptions
from timegrain.continuity.selective.attribution import Ladders, cases, held_errors, held_rows
from timegrain.continuity.selective.distribution import channel_rows, distribution_rows
from timegrain.continuity.selective.held import PARTS
from timegrain.continuity.selective.layers import selective_layers
from timegrain.continuity.selective.population import Population
from timegrain.continuity.selective.readable import readable
from timegrain.continuity.selective.result import Selectivity
from timegrain.core.errors import ConfigError
from timegrain.core.provenance import Provenance

AMPLITUDES = (0.1, 1.0, 10.0)
DISCRETIZATIONS = ("euler_b", "zoh")


def selectivity(
    model: Any,
    *,
    signal: Any = None,
    dt: float = 1.0,
    length: int = 64,
    levels: int = 6,
    amplitudes: Sequence[float] = AMPLITUDES,
    discretizations: Sequence[str] = DISCRETIZATIONS,
    refine: str = "exact",
    norm: str = "sup",
    scope: str = "layer",
    d_model: int = 64,
    d_input: int | None = None,
    seeds: int = 20,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    name: str | None = None,
    progress: Callable[[str], None] | None = None,
    decimator: str = "phase",
) -> Selectivity:
    r"""Show what the selective layers of a model select, and attribute its errors by holding parts.

    The steps `Delta` that S6 layers select, their stiffness `|lambda| Delta` and memory
    `dt / (|lambda| Delta)` are collected over time, channels and states at each amplitude. Then
    `Delta`, B and C, each alone and all together, are held at their mean over the signal at the
    amplitude nearest 1, and the model is refined as in `model_continuity`, with each
    discretisation of B.

    Args:
        model: `"s6"` or `"mamba"`, or a `torch.nn.Module` with such layers in it, deep-copied to
            eval mode and float64. A Mamba of the `transformers` library is read through the files
            it writes, and given the signal in the place of embeddings.
        signal: As for `model_continuity`.
        dt: As there, as are `length`, `levels`, `refine`, `norm`, `scope`, `d_model`, `d_input`,
            `seeds`, `seed` and `options`.
        length: Samples of the working grid.
        levels: Halvings of the step.
        amplitudes: Factors of the signal; an exponent needs two.
        discretizations: Of B; the model's own is measured first, whether or not it is named.
        refine: Where finer samples come from.
        norm: `"sup"` or `"rms"`.
        scope: For a name: `"layer"` or `"network"`.
        d_model: For a name: channels of the layer.
        d_input: Channels of the input.
        seeds: Pairs of a model and a signal.
        seed: Of every draw.
        options: For a name: options of the layer.
        name: What a module is called in the result.
        progress: Is told what is being measured.
        decimator: With `refine="recorded"`: `"phase"` or `"fir"`.

    Returns:
        Distributions, the amplitude law by what is held, and conclusions made from them.

    Raises:
        ConfigError: If an option is outside its domain.
        ModelError: If the model has no selective layer, or cannot be measured.
        TimegrainError: Else as `model_continuity` raises.

    Math:
        An S6 without its skip term is `h' = Delta(u) (A h + B(u) u)`, `y = C(u) h`, where B and C
        are linear in u. With `Delta` held, `a u` has the output `a^3 y`, on every grid and by
        every rule that is linear in `B(u) u`: relative errors do not depend on the amplitude. So
        `Delta` carries the whole amplitude law of the layer alone. With all three held the layer
        is linear and time-invariant.

    Source:
        Gu, Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752), section 3.2, for the selection; Yu, Lyu, Erichson, Continuity Laws for
        Sequential Models, arXiv 2605.08539, for the question. Holding parts is this package's.

    Example:
        >>> result = selectivity("s6", d_model=2, length=16, levels=4, seeds=1,
        ...                      amplitudes=(1.0, 4.0), discretizations=("euler_b",))
        >>> abs(result.law("euler_b", "delta").exponent) < 1e-8
        True
    """
    opts = ModelOptions(
        named=isinstance(model, str),
        amplitudes=tuple(float(a) for a in amplitudes),
        levels=levels,
        length=length,
        dt=dt,
        refine=refine,
        protocol="rescale",
        norm=norm,
        scope=scope,
        d_model=d_model,
        d_input=d_input,
        seeds=seeds,
        seed=seed,
        options=dict(options or {}),
        decimator=decimator,
    )
    population, notes = population_of(
        model, opts, signal=signal, discretizations=discretizations, name=name
    )
    source = population.of_pair(0) if isinstance(model, str) else model
    source = source.model if isinstance(source, ModelAdapter) else source
    return _measured(population, tuple(discretizations), notes, source, progress or _silent)


def population_of(
    model: Any,
    options: ModelOptions,
    *,
    signal: Any = None,
    discretizations: Sequence[str] = DISCRETIZATIONS,
    name: str | None = None,
) -> tuple[Population, tuple[str, ...]]:
    """Return what is going to be looked at, checked, and sentences that a reader has to see.

    Args:
        model: As for `selectivity`, and so are the others.
        options: Of the ladder.
        signal: Of the model.
        discretizations: Of B.
        name: Of a module.

    Raises:
        TimegrainError: As `selectivity` raises.
    """
    _check(discretizations)
    module, notes = (model, ()) if isinstance(model, str) else readable(model)
    called = name or (model if isinstance(model, str) else model_name(model))
    population = Population(model=module, name=called, options=options, signal=signal)
    selective_layers(population.of_pair(0))
    return population, notes


def _measured(
    population: Population,
    asked: tuple[str, ...],
    notes: tuple[str, ...],
    source: Any,
    progress: Callable[[str], None],
) -> Selectivity:
    first = population.of_pair(0)
    own = next(iter(selective_layers(first).values())).discretization
    seen = {
        amplitude: [population.selected(pair, amplitude) for pair in range(population.n_pairs)]
        for amplitude in population.options.amplitudes
    }
    ladders: Ladders = {}
    for discretization, held in cases(tuple(dict.fromkeys((own, *asked)))):
        progress(f"{population.name}: {discretization}, {held} held")
        ladders[discretization, held] = population.measure(PARTS[held], discretization)
    whole = ladders[own, "nothing"]
    options = dataclasses.asdict(population.options)
    parameters = {
        **options,
        "model": population.name,
        "signal": whole.signal,
        "discretizations": asked,
        **how_called(dataclasses.replace(population.planned.first, source=source)),
    }
    return Selectivity(
        name=population.name,
        outcome=whole.outcome,
        provenance=Provenance.collect(seed=population.options.seed, parameters=parameters),
        notes=(*notes, *whole.notes),
        reasons=few_pairs(whole.n_pairs, redrawn=population.planned.redrawn),
        scope=whole.scope,
        norm=whole.norm,
        signal=whole.signal,
        options=whole.options,
        dt=whole.dt,
        unit=whole.unit,
        length=whole.length,
        levels=whole.levels,
        n_pairs=whole.n_pairs,
        amplitudes=whole.amplitudes,
        own_discretization=own,
        distributions=distribution_rows(seen, dt=whole.dt),
        channels=channel_rows(seen[population.middle][0]),
        attribution=held_rows(ladders, first),
        errors=held_errors(ladders),
    )


def _silent(text: str) -> None:
    """Tell nobody."""


def _check(discretizations: Sequence[str]) -> None:
    for one in discretizations:
        if one not in DISCRETIZATIONS:
            raise ConfigError(
                "a discretisation of B is unknown", got=one, expected=", ".join(DISCRETIZATIONS)
            )

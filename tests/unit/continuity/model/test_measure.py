"""`model_continuity` on small models whose ending is known."""

import json
import math

import numpy as np
import pytest

from timegrain.continuity.model.measure import ModelContinuity, model_continuity
from timegrain.core import ConfigError, Outcome, UnknownNameError, read_result

FEW = {"seeds": 3}


def leaky(x, tau=1.0):
    """y' = x - y with the input held over each step, exact but for the hold: order 1."""
    y, kept = np.zeros_like(x), math.exp(-tau)
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k - 1]
    return y


def leaky_foh(x, tau=1.0):
    """The same with the input on a line over each step: order 2."""
    y, kept = np.zeros_like(x), math.exp(-tau)
    late = 1 - (1 - kept) / tau
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept - late) * x[:, k - 1] + late * x[:, k]
    return y


leaky_foh.order = 2


def untold(x):
    return leaky(x, 1.0)


def pointwise(x):
    return np.tanh(3 * x) + x**2


def running_sum(x):
    return np.cumsum(x, axis=1)


def indexed(x, tau=1.0):
    """Grows with the logarithm of the sample's index, which knows nothing of time."""
    index = np.log2(1 + np.arange(x.shape[1]))[None, :, None]
    return leaky(x, tau) * (1 + 0.1 * index)


def swinging(x, tau=1.0):
    """Alternates between levels, ever less: towards its limit, but from both sides."""
    return leaky_foh(x, tau) * (1 + 0.3 * tau * (-1) ** round(math.log2(tau)))


def rough(x, tau=1.0):
    return leaky_foh(x, tau) * (1 + 0.3 * math.sqrt(tau))


rough.order = 1


def delayed(x, tau=1.0):
    """The input of one working step ago: the same numbers on every grid."""
    shift = round(1 / tau)
    y = np.zeros_like(x)
    y[:, shift:] = x[:, :-shift]
    return y


ENDINGS = {
    Outcome.CONVERGES: leaky,
    Outcome.MEMORYLESS: pointwise,
    Outcome.MEMORY_COLLAPSES: untold,
    Outcome.FLOAT_FLOOR: delayed,
    Outcome.OSCILLATES: swinging,
    Outcome.DIVERGES: running_sum,
    Outcome.STALLS: indexed,
    Outcome.PRE_ASYMPTOTIC: rough,
}


@pytest.mark.parametrize("outcome", ENDINGS, ids=lambda o: o.name)
def test_every_ending_is_found(outcome):
    result = model_continuity(ENDINGS[outcome], **FEW)
    assert result.outcome is outcome
    shown = repr(result)
    assert outcome.name in shown
    assert max(map(len, shown.splitlines())) <= 80
    if outcome is not Outcome.CONVERGES:
        assert outcome.cure.split()[0] in shown


def test_two_levels_are_too_few():
    result = model_continuity(leaky, levels=2, **FEW)
    assert result.outcome is Outcome.TOO_FEW_LEVELS
    assert result.order == pytest.approx(1.0, abs=0.3)


def test_one_level_has_no_order_and_says_so():
    result = model_continuity(leaky, levels=1, **FEW)
    assert result.order is None
    assert "differences" in result.reasons["order"]
    assert "no order" in result.reasons["errors"]
    assert all(row.error is None for row in result.errors)


@pytest.mark.parametrize(("model", "order"), [(leaky, 1), (leaky_foh, 2)])
@pytest.mark.parametrize("norm", ["sup", "rms"])
def test_the_order_of_the_discretisation_is_seen(model, order, norm):
    result = model_continuity(model, norm=norm, **FEW)
    assert result.order == pytest.approx(order, abs=0.05)
    assert result.levels_used == 7


def test_a_ladder_has_the_runs_differences_and_orders_it_says():
    result = model_continuity(leaky, levels=4, length=32, amplitudes=(0.5, 2.0), **FEW)
    assert len(result.errors) == 2 * 5
    assert len(result.orders) == 2 * 4
    assert [row.order is None for row in result.orders] == [False, False, False, True] * 2
    assert [row.tau for row in result.errors][:5] == [1.0, 0.5, 0.25, 0.125, 0.0625]
    assert len(result.memory) == 2 * 5
    assert {row["layer"] for row in result.rows()} == {"output"}
    assert len(result.rows()) == 2 * 5


def test_the_memory_of_a_leak_is_its_time_constant():
    result = model_continuity(leaky, **FEW)
    # The response to the bump decays as exp(-t) after it; its height there is below the peak's,
    # so that the memory is below the time constant 1 and does not depend on the grid.
    finest = result.memory[-1].memory
    assert 0.05 < finest < 1.0
    assert result.memory[-2].memory == pytest.approx(finest, rel=0.02)


def test_a_linear_model_has_no_amplitude_law():
    result = model_continuity(leaky, amplitudes=(0.1, 1, 10), **FEW)
    # Differences carry 100 roundings at most of the 1e-2 they are: 1e-12 over 4.6 in log a.
    assert abs(result.amplitude_exponent) < 1e-11
    assert "does not depend on amplitude" in repr(result)


def test_a_model_whose_error_grows_with_the_input_shows_the_exponent():
    def driven(x, tau=1.0):
        # error proportional to |u|^(1/2) in relative terms, with a limit that is linear
        size = np.sqrt(np.abs(x).max(axis=(1, 2), keepdims=True))
        return leaky_foh(x, tau) * (1 + 0.1 * size * tau)

    result = model_continuity(driven, amplitudes=(0.01, 0.1, 1.0), **FEW)
    assert result.amplitude_exponent == pytest.approx(0.5, abs=0.02)


def test_order_and_outcome_are_read_at_the_amplitude_nearest_one():
    def saturating(x, tau=1.0):
        return leaky(np.tanh(x), tau) if np.abs(x).max() < 20 else np.cumsum(x, axis=1)

    result = model_continuity(saturating, amplitudes=(100.0, 0.5), **FEW)
    assert result.outcome is Outcome.CONVERGES
    assert result.at(1.0).amplitude == 0.5
    assert result.at(100.0).outcome is Outcome.DIVERGES
    assert "DIVERGES at amplitude 100" in repr(result)
    assert {row.error is None for row in result.errors if row.amplitude == 100.0} == {True}


def test_twenty_pairs_have_an_interval_and_fewer_say_why_not():
    result = model_continuity(leaky, seeds=20, levels=3)
    assert result.interval[0] < result.order < result.interval[1]
    few = model_continuity(leaky, levels=3, **FEW)
    why = f"{few.n_pairs} pairs, 20 needed; seeds=20"
    assert few.reasons["interval"] == why
    assert f"(no interval: {why})" in " ".join(repr(few).split())


def test_the_seed_decides_everything():
    first, again, other = (model_continuity(leaky, seed=s, **FEW) for s in (1, 1, 2))
    assert first.errors == again.errors
    assert first.memory == again.memory
    assert first.errors != other.errors


def test_a_native_run_is_called_at_tau_one_and_says_so():
    told = []

    def listening(x, tau=1.0):
        told.append(tau)
        return leaky(x, tau)

    result = model_continuity(listening, protocol="native", **FEW)
    assert set(told) == {1.0}
    assert result.protocol == "native"
    assert result.outcome is Outcome.MEMORY_COLLAPSES
    assert result.takes_tau
    assert any("as asked" in note for note in result.notes)


def test_a_model_without_tau_is_measured_natively_with_the_reason():
    result = model_continuity(untold, **FEW)
    assert result.protocol == "native"
    assert not result.takes_tau
    assert "no parameter named tau" in result.reasons["protocol"]
    assert "Measured natively" in repr(result)


def test_a_swallowed_tau_is_not_told():
    def swallowing(x, **ignored):
        return leaky(x)

    assert model_continuity(swallowing, **FEW).protocol == "native"


def test_the_error_budget_is_rounding_and_the_reference():
    budget = model_continuity(leaky, **FEW).error_budget
    assert np.finfo(float).eps <= budget.rounding < 1e-13
    assert budget.interpolation == 0.0
    # The limit moves by the second-order term that is left: well under the finest error.
    assert 0 < budget.reference < 1e-3


def test_the_grid_convergence_index_bounds_the_finest_error():
    result = model_continuity(leaky, **FEW)
    assert result.errors[-1].error < result.gci < 2 * result.errors[-1].error


def test_a_result_survives_json():
    result = model_continuity(leaky, amplitudes=(0.1, 1.0), **FEW)
    text = result.to_json()
    body = json.loads(text)
    assert set(body["errors"][0]) == {"amplitude", "tau", "error", "layer"}
    assert set(body["memory"][0]) == {"amplitude", "tau", "memory", "layer"}
    assert body["outcome"] == "CONVERGES"
    back = read_result(text)
    assert isinstance(back, ModelContinuity)
    assert back == result
    assert back.to_arrow().num_rows == 2 * 7


def test_a_diverging_result_survives_json_too():
    result = model_continuity(running_sum, **FEW)
    assert "NaN" not in result.to_json()
    assert result.error_budget.reference is None
    assert "no limit" in result.reasons["errors"]
    assert "no limit" in result.reasons["error_budget.reference"]
    assert read_result(result.to_json()) == result


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match="Try s4d"):
        model_continuity("s4dd")


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": 0},
        {"seeds": 0},
        {"seed": -1},
        {"dt": 0.0},
        {"amplitudes": ()},
        {"amplitudes": (1.0, 1.0)},
        {"amplitudes": (-1.0,)},
        {"refine": "sinc"},
        {"protocol": "auto"},
        {"norm": "l1"},
        {"scope": "world"},
        {"scope": "network"},
        {"options": {"skip": True}},
        {"refine": "recorded"},
        {"d_input": 0},
    ],
    ids=str,
)
def test_an_option_outside_its_domain_is_refused(wrong):
    with pytest.raises(ConfigError):
        model_continuity(leaky, **wrong)


def test_a_ladder_too_coarse_for_the_fastest_mode_says_how_many_levels_it_needs():
    """S4 with `|lambda| Delta` near 130 at tau = 1; what its note says is then followed."""
    small = {"length": 16, "seeds": 2, "d_model": 4, "options": {"dt_min": 0.09}}
    for levels, wanted in ((3, Outcome.PRE_ASYMPTOTIC), (7, Outcome.CONVERGES)):
        result = model_continuity("s4", levels=levels, **small)
        assert result.outcome is wanted
        notes = [note for note in result.notes if "fastest mode" in note]
        assert ["levels=7" in note for note in notes] == [True] * (levels == 3)


def test_a_model_that_thins_finer_grids_has_its_limit_there():
    # as a recogniser does that is told a rate and reads every so-manyth sample: those are the same
    def thins(x, tau=1.0):
        every = max(round(0.5 / tau), 1)
        read = np.cumsum(x[:, ::every] * (every * tau), axis=1)
        return np.repeat(read, every, axis=1)[:, : x.shape[1]]

    result = model_continuity(thins, levels=3, length=16, seeds=1)
    assert result.outcome is Outcome.FLOAT_FLOOR
    assert result.errors[0].error > 0.01 and all(row.error < 1e-12 for row in result.errors[1:])
    assert result.error_budget.reference < 1e-12
    assert any("From tau = 1/2 on the grids agree to rounding" in note for note in result.notes)

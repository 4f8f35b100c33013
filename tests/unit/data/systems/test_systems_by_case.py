"""Both tasks of every system: their answers, their options, and what is observed."""

import time

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data import load_dataset
from timegrain.data.generated import case_streams
from timegrain.data.systems.forecast import forecast
from timegrain.data.systems.generators import SYSTEMS, VDP_FORECAST, VDP_INFERENCE
from timegrain.data.systems.inference import inference
from timegrain.data.systems.mixture import mix, mixing, symbols
from timegrain.data.systems.times import exact_time, sample_times

INFERENCE = [inference(system) for system in SYSTEMS]
FORECAST = [forecast(system) for system in SYSTEMS]
SOME = np.array([3, 2**40, 2**41 + 5, 0])


def named(source):
    return source.name


@pytest.mark.parametrize("source", [*INFERENCE, *FORECAST], ids=named)
def test_a_case_depends_on_its_number_alone(source):
    source = source.turned(length=40)
    together = source.cases(SOME, seed=4)
    assert together.sequences.dtype == together.labels.dtype == np.float64
    assert np.isfinite(together.sequences).all() and np.isfinite(together.labels).all()
    for i in range(len(SOME)):
        alone = source.cases(SOME[i : i + 1], seed=4)
        np.testing.assert_array_equal(alone.sequences[0], together.sequences[i])
        np.testing.assert_array_equal(alone.labels[0], together.labels[i])
    other = source.cases(SOME, seed=5)
    assert (other.labels != together.labels).all()
    flat = together.sequences.reshape(len(SOME), -1)
    assert len(np.unique(flat, axis=0)) == len(SOME)


@pytest.mark.parametrize("source", INFERENCE, ids=named)
def test_parameters_are_uniform_in_their_ranges(source):
    labels, lengths = source.answers(np.arange(2000), seed=0, **source.settings)
    system = next(s for s in SYSTEMS if s.name == source.name.removesuffix("-inference"))
    assert lengths is None and labels.shape == (2000, len(source.value_names))
    for column, parameter in zip(labels.T, system.parameters, strict=True):
        assert parameter.low <= column.min() and column.max() <= parameter.high
        ranks = np.sort((column - parameter.low) / (parameter.high - parameter.low))
        # Kolmogorov's bound at a probability of 1e-6: sqrt(log(2e6) / 2n)
        assert np.abs(ranks - (np.arange(2000) + 0.5) / 2000).max() < np.sqrt(np.log(2e6) / 4000)


@pytest.mark.parametrize("source", INFERENCE, ids=named)
def test_answers_alone_are_those_of_the_cases(source):
    turned = source.turned(length=2)
    made = turned.cases(SOME, seed=1)
    np.testing.assert_array_equal(made.labels, turned.answers(SOME, seed=1, **turned.settings)[0])


def test_inference_shows_the_solution_itself():
    system = SYSTEMS[0]
    found = inference(system).turned(length=30, dt=0.02).cases(SOME)
    ((_, parameters, states),) = system.run(
        SOME, seed=0, name="vdp-inference", times=sample_times(0.02, 30)
    )
    np.testing.assert_array_equal(found.sequences[:, :, 0], states[:, 0].T)
    np.testing.assert_array_equal(found.labels, parameters.T)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_a_forecast_asks_for_the_later_course(system):
    source = forecast(system).turned(length=50, dt=0.04, horizon=0.6, n_ahead=3)
    assert source.value_names == ("after 0.2", "after 0.4", "after 0.6")
    labels = source.cases(SOME).labels
    # 15 samples more, of which the fifth, tenth and last are asked for
    ((_, _, states),) = system.run(SOME, seed=0, name=source.name, times=sample_times(0.04, 65))
    x = system.pair(states)[0].T
    past = x[:, :50]
    units = (x - past.mean(axis=1)[:, None]) / past.std(axis=1)[:, None]
    np.testing.assert_allclose(labels, units[:, [54, 59, 64]], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("source", FORECAST, ids=named)
def test_eta_changes_what_is_seen_and_not_what_is_asked(source):
    made = {eta: source.turned(length=60, eta=eta).cases(SOME) for eta in (0, 0.25, 1)}
    for cases in made.values():
        np.testing.assert_array_equal(cases.labels, made[0].labels)
    curve, code = made[0].sequences, made[1].sequences
    np.testing.assert_allclose(made[0.25].sequences, 0.75 * curve + 0.25 * code, atol=1e-12)
    # two quantities of mean 0 and variance 1 lie in a plane that is the same in all cases
    values = np.linalg.svd(curve.reshape(-1, 16), compute_uv=False)
    assert values[1] > 1e-3 and values[2] < 1e-12 * values[0]
    np.testing.assert_allclose(curve.mean(axis=1), 0, atol=1e-12)
    # any two symbols are one column or orthogonal ones
    products = code.reshape(-1, 16) @ code.reshape(-1, 16).T
    assert np.minimum(np.abs(products), np.abs(products - 1)).max() < 1e-12
    assert products.min() < 0.5 < products.max()


def test_a_mixture_is_what_its_formula_says():
    random = np.random.default_rng(0)
    x, v = random.standard_normal((2, 3, 20))
    weights, codebook = mixing(7, "x")
    np.testing.assert_allclose(np.sum(weights**2, axis=0), 1, atol=1e-14)
    np.testing.assert_allclose(codebook @ codebook.T, np.eye(16), atol=1e-14)
    found = mix(x, v, 0.3, seed=7, name="x")
    for case in range(3):
        edges = [np.linspace(s.min(), s.max(), 5)[1:4] for s in (x[case], v[case])]
        for k in range(20):
            symbol = 4 * (x[case, k] >= edges[0]).sum() + (v[case, k] >= edges[1]).sum()
            assert symbols(x, v)[case, k] == symbol
            known = 0.7 * (weights.T @ [x[case, k], v[case, k]]) + 0.3 * codebook[:, symbol]
            np.testing.assert_allclose(found[case, k], known, atol=1e-14)


def test_what_stands_still_is_one_symbol():
    still = np.ones((1, 4))
    assert symbols(still, still).tolist() == [[0, 0, 0, 0]]


def test_a_mixture_is_another_with_another_seed():
    assert (mixing(0, "x")[0] != mixing(1, "x")[0]).all()
    assert (mixing(0, "x")[1] != mixing(0, "y")[1]).all()


def test_more_cases_than_a_block_are_the_same_cases():
    from timegrain.data.systems.system import BLOCK

    many = VDP_INFERENCE.turned(length=2).cases(np.arange(BLOCK + 3))
    last = VDP_INFERENCE.turned(length=2).cases(np.array([BLOCK + 2]))
    np.testing.assert_array_equal(many.sequences[-1], last.sequences[0])


@pytest.mark.parametrize(
    "given",
    [{"eta": 1.5}, {"eta": -0.1}, {"horizon": 0}, {"n_ahead": 0}, {"dt": 0}, {"length": 1}],
)
def test_options_outside_their_domain(given):
    with pytest.raises(ConfigError, match=next(iter(given))):
        VDP_FORECAST.turned(**given)


def test_a_random_path_is_told_of_on_its_grids_only():
    source = FORECAST[3].turned(horizon=0.4, n_ahead=3)
    with pytest.raises(ConfigError, match=r"nested grids(?s:.*)n_ahead"):
        source.cases(SOME)
    assert source.turned(horizon=0.3).cases(SOME).labels.shape == (4, 3)


def test_the_step_follows_the_option():
    assert VDP_INFERENCE.turned(dt=0.5).dt == 0.5
    assert VDP_FORECAST.turned(dt=0.5).dt == 0.5
    assert exact_time(VDP_FORECAST.turned(dt=0.5).dt) * 2 == 1


def test_inference_and_forecast_watch_different_cases():
    a = next(case_streams(0, VDP_INFERENCE.name, np.array([0]))).random()
    assert a != next(case_streams(0, VDP_FORECAST.name, np.array([0]))).random()


def test_twenty_thousand_oscillators_take_ten_seconds_of_a_core_at_most():
    load_dataset("vdp-inference", n_train=1, n_validation=0, n_test=1)
    before = time.process_time()
    data = load_dataset("vdp-inference", n_train=20_000, n_validation=0, n_test=1)
    assert time.process_time() - before < 10
    assert data.sequences[-1].shape == (1024, 1)

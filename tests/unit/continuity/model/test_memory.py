import numpy as np
import pytest

from timegrain.continuity.model.memory import (
    is_memoryless,
    memory_and_noise,
    memory_collapses,
    memory_time,
    response_memory,
    response_of,
)


@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_an_exponential_response_remembers_for_its_time_constant(scale):
    t = np.linspace(0.0, 60.0, 60001)
    response = np.exp(-t / scale)[:, None]
    assert memory_time(response, t, after=0.0) == pytest.approx(scale, rel=1e-5)


def test_channels_are_joined_by_their_euclidean_length():
    t = np.linspace(0.0, 1.0, 11)
    response = np.stack([3 * np.ones(11), 4 * np.ones(11)], axis=1)
    response[0] *= 2
    assert memory_time(response, t, after=0.1) == pytest.approx(0.9 * 5 / 10)


def test_a_part_of_a_step_counts_with_the_sample_after_it():
    t = np.arange(4.0)
    response = np.array([0.0, 2.0, 1.0, 1.0])[:, None]
    assert memory_time(response, t, after=1.25) == pytest.approx((0.75 * 1 + 1) / 2)


def test_a_response_that_is_over_is_no_memory_wherever_the_grid_falls():
    t = np.arange(0.0, 10.0, 0.7)
    for after in (3.0, 3.5, 4.9):
        response = np.where(t < after - 1e-9, 1.0, 0.0)[:, None]
        assert memory_time(response, t, after=after) == 0.0


def test_no_response_has_no_memory_time():
    assert np.isnan(memory_time(np.zeros((5, 2)), np.arange(5.0), after=2.0))


def test_the_finest_level_alone_can_save_a_model_from_memoryless():
    assert is_memoryless(np.full(3, 1e-7), window=1.0)
    assert not is_memoryless(np.array([1e-7, 1e-7, 1e-5]), window=1.0)


def test_collapse_needs_three_levels_and_a_fall_at_the_end():
    assert memory_collapses(np.array([4.0, 2.0, 1.0]))
    assert not memory_collapses(np.array([4.0, 1.0]))
    assert not memory_collapses(np.array([4.0, 1.0, 1.0]))
    assert not memory_collapses(np.array([4.0, 3.0, 2.0]))


@pytest.mark.parametrize("scale", [1e-300, 1e200])
@pytest.mark.filterwarnings("error")
def test_the_memory_does_not_depend_on_the_size_of_the_response(scale):
    t = np.linspace(0.0, 20.0, 201)
    response = np.exp(-t)[:, None]
    expected = memory_time(response, t, after=1.0)
    assert memory_time(scale * response, t, after=1.0) == pytest.approx(expected, rel=1e-12)


def test_a_fall_that_rounding_may_make_is_none():
    settled = np.array([0.42, 0.16, 0.16 - 1e-7, 0.16 - 2e-7])
    assert memory_collapses(settled)  # if every digit counted
    assert not memory_collapses(settled, np.full(4, 1e-6))
    assert memory_collapses(np.array([0.42, 0.16, 0.15, 0.14]), np.full(4, 1e-6))


def test_memory_that_is_gone_cannot_fall_further():
    gone = np.array([1.0, 0.5, 1e-9, 1e-12, 0.0])
    assert memory_collapses(gone, np.full(5, 1e-6))
    assert memory_collapses(np.array([1.0, 0.5, 0.0, 0.0]))
    # where rounding is as large as the memory was, nothing can be told
    assert not memory_collapses(gone, np.full(5, 0.6))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [1.0, 300.0])
def test_the_noise_bounds_what_rounding_does_to_the_memory(seed, size):
    draw, t = np.random.default_rng(seed), np.linspace(0.0, 8.0, 321)
    plain = size * np.cos(3 * t)[:, None] * np.array([1.0, 0.5])
    response = (np.minimum(t, 1.0) * np.exp(-np.maximum(t - 1.0, 0.0)))[:, None] * [0.3, 1.0]
    exact = memory_time(response, t, after=1.0)
    spacing = float(np.finfo(np.float32).eps)
    outputs = [x * (1 + spacing * draw.uniform(-1, 1, x.shape)) for x in (plain, plain + response)]
    rounded, noise = memory_and_noise(
        outputs[1] - outputs[0], t, after=1.0, floor=100 * spacing * size
    )
    assert 0 < abs(rounded - exact) < noise < 100 * size * spacing * (8.0 + exact)


def test_no_response_has_no_noise():
    assert np.isnan(memory_and_noise(np.zeros((5, 2)), np.arange(5.0), after=2.0, floor=1.0)[1])


@pytest.mark.parametrize("size", [1.0, 1e-130, 1e-200, 1e170])
def test_the_memory_of_twins_is_that_of_their_difference(size):
    """Squares of numbers near 1e-200 are 0 and those of 1e170 infinite."""
    t = np.linspace(0.0, 10.0, 401)
    plain, response = size * np.random.default_rng(0).standard_normal((2, 2, 401, 3))
    twin = plain + response * np.exp(-t)[:, None]
    found, noise = response_memory(response_of(plain, twin), t, after=1.25, floors=np.full(2, size))
    expected = [memory_time(r, t, after=1.25) for r in twin - plain]
    assert found == pytest.approx(expected, rel=1e-12)
    wanted = [memory_and_noise(r, t, after=1.25, floor=size)[1] for r in twin - plain]
    assert noise == pytest.approx(wanted, rel=1e-12)


def test_twins_that_do_not_differ_have_no_memory_beside_one_that_does():
    t = np.arange(5.0)
    plain = np.zeros((2, 5, 1))
    twin = plain.copy()
    twin[1] = 1.0
    found, _ = response_memory(response_of(plain, twin), t, after=2.0, floors=np.zeros(2))
    assert np.isnan(found[0])
    assert found[1] == 2.0

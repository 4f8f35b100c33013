import pytest

from timegrain.core.errors import ModelError
from timegrain.models import build_layer, build_model, capacity, models


def test_what_does_not_fit_says_how_much_is_missing(monkeypatch):
    monkeypatch.setattr(capacity, "available_memory", lambda: 10**9)
    capacity.check_memory("it", 10**9, lower="d_model")
    with pytest.raises(ModelError, match=r"it does not .* 1 GB, expected at most 1 GB"):
        capacity.check_memory("it", 10**9 + 1, lower="d_model")


def test_memory_is_read_from_the_kernel_and_the_container(monkeypatch, tmp_path):
    meminfo, limit = tmp_path / "meminfo", tmp_path / "memory.max"
    meminfo.write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    monkeypatch.setattr(capacity, "_MEMINFO", meminfo)
    monkeypatch.setattr(capacity, "_CONTAINER", (limit,))
    assert capacity.available_memory() == 5000 * 1024
    limit.write_text("max\n")
    assert capacity.available_memory() == 5000 * 1024
    limit.write_text("1000000\n")
    assert capacity.available_memory() == 1_000_000
    monkeypatch.setattr(capacity, "_MEMINFO", tmp_path / "none")
    limit.unlink()
    monkeypatch.setattr(capacity, "_machine", list)
    assert capacity.available_memory() == capacity.UNKNOWN


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("gru", {"d_model": 10**6}),  # 6 d_model^2 numbers: 24 TB
        ("s6", {"d_model": 10**8}),
        ("s4d", {"d_model": 10**10}),
        ("s4d", {"d_model": 4, "n_pairs": 10**13}),
        ("gru", {"d_model": 10**5000}),
        ("transformer", {"d_model": 10**6}),
        ("tcn", {"d_model": 1000, "kernel_size": 10**8}),
    ],
)
def test_a_layer_of_absurd_size_is_refused_at_once(name, sizes):
    with pytest.raises(ModelError, match=r"does not fit into memory.*\nTry a smaller d_model"):
        build_layer(name, **sizes)


@pytest.mark.parametrize(
    "sizes", [{"d_model": 10**7}, {"n_layers": 10**12}, {"d_input": 10**13}, {"d_output": 10**13}]
)
def test_a_network_of_absurd_size_is_refused_at_once(sizes):
    whole = {"d_input": 1, "d_output": 2, "d_model": 4, "n_layers": 1, **sizes}
    with pytest.raises(ModelError, match="does not fit into memory"):
        build_model("s4d", **whole)


@pytest.mark.parametrize("name", models.names())
def test_the_numbers_of_a_layer_are_counted_without_making_it(name, monkeypatch):
    from timegrain.models import build

    asked = []
    monkeypatch.setattr(build, "SMALL", 0)
    monkeypatch.setattr(build, "check_memory", lambda what, needed, lower: asked.append(needed))
    layer = build_layer(name, d_model=32, seed=0)
    assert asked == [4 * sum(p.numel() for p in layer.parameters())]
    model = build_model(name, d_input=3, d_output=2, d_model=32, n_layers=2, seed=0)
    made = 4 * sum(p.numel() for p in model.parameters())
    assert made - 4 * (32 + 2) == asked[1]  # the two biases at the ends are not counted
    assert build_layer(name, d_model=32, seed=0).state_dict().keys() == layer.state_dict().keys()

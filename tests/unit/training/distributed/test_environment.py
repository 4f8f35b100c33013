import pytest

from timegrain.core.errors import ConfigError
from timegrain.training.distributed import leads
from timegrain.training.distributed.environment import Place, place_of_environment

SAID = {"WORLD_SIZE": "3", "RANK": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}


@pytest.fixture
def say(monkeypatch):
    for name in SAID:
        monkeypatch.delenv(name, raising=False)

    def say(**names):
        for name, value in names.items():
            monkeypatch.setenv(name, value)

    return say


def test_a_process_is_alone_unless_the_environment_tells_of_others(say):
    assert place_of_environment() is None
    assert leads()
    say(WORLD_SIZE="1", RANK="0")
    assert place_of_environment() is None


def test_torchrun_says_which_it_is(say):
    say(**SAID)
    assert place_of_environment() == Place(rank=1, size=3)
    assert not leads()


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ({"WORLD_SIZE": "2"}, "WORLD_SIZE=2 without RANK, MASTER_ADDR, MASTER_PORT"),
        (SAID | {"RANK": "3"}, "RANK=3, WORLD_SIZE=3"),
        (SAID | {"WORLD_SIZE": "two"}, "WORLD_SIZE=two"),
    ],
)
def test_what_does_not_fit_is_an_error(say, names, text):
    say(**names)
    with pytest.raises(ConfigError, match=text):
        leads()

"""A trained detector of speech from a package: what is measured agrees with running it."""

import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

import timegrain as tg

pytestmark = pytest.mark.skipif(
    find_spec("silero_vad") is None, reason="silero-vad is not installed (the extra dev has it)"
)
FOLDER = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def speech():
    """What the examples define."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield {
            n: runpy.run_path(str(FOLDER / f"{n}.py")) for n in ("speech_windows", "speech_rates")
        }
    finally:
        sys.path.remove(str(FOLDER))


@pytest.mark.parametrize("rate", [8_000, 16_000])
def test_the_module_gives_the_probabilities_of_the_package(speech, rate):
    windows, voice = speech["speech_windows"], speech["speech_rates"]["voice"]
    network, size = windows["load_script"](), rate * 32 // 1000
    sound = torch.from_numpy(voice(np.arange(0, 0.96, 1 / rate) + 0.3)).float()
    detector = windows["SpeechWindows"]()
    with torch.no_grad():
        network.reset_states()
        theirs = torch.cat([network(x[None], rate)[0] for x in sound.split(size)])
        ours = detector(sound[None, :, None], rate)[0, :, 0]
    assert theirs.max() > 0.9 and theirs.min() < 0.1  # it hears the voice begin
    held = theirs.repeat_interleave(size)
    # a thousand sums in another order, at most a few eps of float32 each
    assert (ours - held).abs().max() < 1000 * torch.finfo(torch.float32).eps


def test_it_says_which_rates_it_knows(speech):
    detector = speech["speech_windows"]["SpeechWindows"]()
    with pytest.raises(ValueError, match="8,000 and multiples of 16,000, not 11025"):
        detector(torch.zeros(1, 600, 1), 11_025)


def test_the_voice_is_the_same_at_every_rate(speech):
    voice, vowels = (speech["speech_rates"][name] for name in ("voice", "vowels"))
    coarse = np.arange(0.4, 0.8, 1 / 8_000)
    np.testing.assert_array_equal(voice(coarse), voice(np.repeat(coarse, 2))[::2])
    assert not voice(coarse[coarse < 0.5]).any() and voice(coarse[coarse > 0.51]).any()
    spectrum = np.abs(np.fft.rfft(vowels(np.arange(0, 1, 1 / 16_000)) * np.hanning(16_000)))
    # the harmonics end at 3.6 kHz, but for what the glides of vowels spread
    assert spectrum[4_000:].max() < 1e-3 * spectrum.max()


def test_the_measurement_agrees_with_running_it(speech, capsys):
    rates = speech["speech_rates"]
    decided = rates["main"]()
    assert "8 kHz" in capsys.readouterr().out
    assert all(told[0] > 0.9 and told[1] > 0.9 for told, _ in decided.values())
    lost = [untold[1] for rate, (_, untold) in decided.items() if rate > 16_000]
    assert all(found < 0.5 for found in lost)

    grids = {"dt": 1 / 8_000, "length": 8_000, "levels": 3, "seeds": 1}
    told, untold = (tg.model_continuity(rates[n], **grids) for n in ("TOLD", "UNTOLD"))
    assert told.outcome is tg.Outcome.FLOAT_FLOOR
    # 8 kHz has weights of its own; above, every so-manyth sample is read
    assert 0.01 < told.errors[0].error < 0.5
    assert all(row.error < 1e-6 for row in told.errors[1:])
    assert all(row.error is None for row in untold.errors)
    assert untold.outcome in (
        tg.Outcome.MEMORY_COLLAPSES,
        tg.Outcome.DIVERGES,
        tg.Outcome.STALLS,
    )
    assert "argument sr" in " ".join(told.notes) and told.dtype == "float32"

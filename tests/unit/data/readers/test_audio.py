"""Sound files: what is read, and what is said of those that cannot be."""

import sys
import tracemalloc

import numpy as np
import pytest
import soundfile

from timegrain.cli.main import run
from timegrain.core.errors import ConfigError, DataError, MissingPackageError, TimegrainError
from timegrain.data import load_dataset

HZ = 8000


@pytest.fixture
def sound():
    return np.random.default_rng(0).uniform(-0.9, 0.9, (3000, 2))


@pytest.mark.parametrize("name", ["a.wav", "a.flac"])
@pytest.mark.parametrize(("subtype", "bits"), [("PCM_16", 16), ("PCM_24", 24)])
def test_whole_numbers_become_fractions_of_full_scale(tmp_path, sound, name, subtype, bits):
    soundfile.write(tmp_path / name, sound, HZ, subtype=subtype)
    data = load_dataset(tmp_path / name)
    assert (data.dt, data.unit, data.n_channels, len(data)) == (1 / HZ, "s", 2, 1)
    assert data.sequences[0].dtype == np.float64
    # written to the nearest whole number below full scale
    assert np.abs(data.sequences[0] - sound).max() <= 2.0 ** (1 - bits)
    assert f"Signed {bits} bit PCM" in data.notes[0] and "-1 to 1" in data.notes[0]


def test_full_scale_is_minus_one(tmp_path):
    extremes = np.array([-32768, 0, 32767], dtype=np.int16)
    soundfile.write(tmp_path / "a.wav", extremes, HZ)
    read = load_dataset(tmp_path / "a.wav").sequences[0][:, 0]
    assert read.tolist() == [-1.0, 0.0, 32767 / 32768]


def test_floats_are_kept_as_they_are(tmp_path):
    soundfile.write(tmp_path / "a.wav", np.array([0.25, -7.5, 2.0]), HZ, subtype="DOUBLE")
    data = load_dataset(tmp_path / "a.wav")
    assert data.sequences[0][:, 0].tolist() == [0.25, -7.5, 2.0]
    assert "read as it is" in data.notes[0]


def test_a_lossy_coding_is_named(tmp_path, sound):
    soundfile.write(tmp_path / "a.ogg", sound, HZ)
    assert "drops what ears do not hear" in load_dataset(tmp_path / "a.ogg").notes[0]


def test_another_rate_on_request_says_so(tmp_path):
    t = np.arange(4 * HZ) / HZ
    tones = np.sin(2 * np.pi * 440 * t) + np.sin(2 * np.pi * 3000 * t)
    soundfile.write(tmp_path / "a.wav", tones / 2, HZ, subtype="DOUBLE")
    data = load_dataset(tmp_path / "a.wav", common_hz=4000)
    assert data.dt == 1 / 4000
    inside = data.sequences[0][100:-100, 0]
    wanted = np.sin(2 * np.pi * 440 * np.arange(len(data.sequences[0])) / 4000)[100:-100] / 2
    assert np.abs(inside - wanted).max() < 2e-6
    assert "from 1600 Hz on where recorded at 8000 Hz" in data.notes[-1]


def test_a_rate_given_beside_that_of_the_file_has_to_agree(tmp_path, sound, capsys):
    soundfile.write(tmp_path / "a.wav", sound, HZ)
    with pytest.raises(ConfigError, match="contradict"):
        load_dataset(tmp_path / "a.wav", dt=1 / 16000, unit="s")
    with pytest.raises(ConfigError, match="delimiter= has no use"):
        load_dataset(tmp_path / "a.wav", delimiter=";")


def test_a_missing_package_names_the_command(tmp_path, sound, monkeypatch, capsys):
    soundfile.write(tmp_path / "a.wav", sound, HZ)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'timegrain\[audio\]'"):
        load_dataset(tmp_path / "a.wav")
    assert run(["data", str(tmp_path / "a.wav")]) == 2
    assert "pip install 'timegrain[audio]'" in capsys.readouterr().err


def written(path, sound):
    soundfile.write(path, sound, HZ)
    return bytearray(path.read_bytes())


def flac_of_length(content: bytearray, samples: int) -> bytes:
    content[21] = (content[21] & 0xF0) | (samples >> 32)
    content[22:26] = (samples & 0xFFFFFFFF).to_bytes(4, "big")
    return bytes(content)


@pytest.mark.parametrize(
    ("name", "damage", "said"),
    [
        ("a.wav", lambda b: b"not a sound at all, but text", "is no .wav file"),
        ("a.wav", lambda b: b[:10], "is no .wav file"),
        ("a.wav", lambda b: b[:20], "holds no sound"),
        ("a.wav", lambda b: b[:2000], "is truncated"),
        ("a.wav", lambda b: b[:40] + b"\xff\xff\xff\x0f" + b[44:], "is truncated"),
        ("a.wav", lambda b: b[:24] + bytes(4) + b[28:], "a.wav"),
        ("a.wav", lambda b: b[:22] + b"\0\0" + b[24:], "a.wav"),
        ("a.flac", lambda b: b"fLaC" + bytes(100), "holds no sound that can be read"),
        ("a.flac", lambda b: b[:3000], "a.flac"),
        ("a.flac", lambda b: flac_of_length(b, 2**36 - 1), "does not fit into memory"),
        ("a.flac", lambda b: flac_of_length(b, 10**7), "or is damaged"),
        ("a.flac", lambda b: flac_of_length(b, 0), "does not say how long it is"),
        ("a.ogg", lambda b: b"OggS" + bytes(100), "holds no sound that can be read"),
        ("a.ogg", lambda b: b"\x1b[31mred", "holds no sound that can be read"),
    ],
)
def test_broken_files_are_explained_in_little_memory(tmp_path, sound, name, damage, said):
    path = tmp_path / name
    path.write_bytes(damage(written(path, sound)))
    tracemalloc.start()
    try:
        with pytest.raises(DataError) as error:
            load_dataset(path)
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()
    text = str(error.value)
    assert said in text and name in text and "\x1b" not in text


def test_the_command_shows_the_error_and_ends_with_2(tmp_path, capsys):
    (tmp_path / "a.wav").write_bytes(b"\x1b[31mred, but no sound")
    assert run(["data", str(tmp_path / "a.wav")]) == 2
    error = capsys.readouterr().err
    assert "a.wav is no .wav file" in error and "\x1b" not in error


def test_another_format_under_the_name_is_refused(tmp_path, sound):
    written(tmp_path / "a.flac", sound)
    (tmp_path / "a.flac").rename(tmp_path / "a.ogg")
    with pytest.raises(DataError, match="got a file of format FLAC, expected OGG"):
        load_dataset(tmp_path / "a.ogg")


def test_a_name_with_escapes_or_markup_is_shown_harmlessly(tmp_path, sound, capsys):
    path = tmp_path / "a\x1b[31m[bold]<b>.wav"
    soundfile.write(str(path), sound, HZ)
    assert run(["data", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\x1b[31m" not in out and "[bold]<b>" in out


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.ogg"])
def test_random_damage_is_read_or_refused(tmp_path, sound, name):
    path = tmp_path / name
    whole = bytes(written(path, sound))
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(100):
        content = bytearray(whole[: rng.integers(1, len(whole))] if rng.random() < 0.3 else whole)
        # the header is where damage matters most
        for at in rng.integers(0, min(len(content), 100), rng.integers(1, 5)):
            content[at] = rng.integers(256)
        path.write_bytes(content)
        try:
            load_dataset(path)
        except TimegrainError as error:
            refused += 1
            assert "a" in str(error)
    assert refused > 10

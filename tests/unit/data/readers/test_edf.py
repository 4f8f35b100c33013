"""EDF files: rates, units, gaps and annotations."""

import sys

import edfio
import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.continuity import dataset_continuity
from timegrain.core.errors import ConfigError, DataError, GridError, MissingPackageError
from timegrain.data import Dataset, load_dataset, load_datasets
from timegrain.resample import fir_decimate

LEADS = ("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")


def signal(values, hz, label, unit="mV", span=5.0):
    return edfio.EdfSignal(
        values, hz, label=label, physical_dimension=unit, physical_range=(-span, span)
    )


def wave(hz, seconds=20, frequency=1.5):
    return np.sin(2 * np.pi * frequency * np.arange(round(hz * seconds)) / hz)


@pytest.fixture
def two_rates(tmp_path):
    path = tmp_path / "night.edf"
    signals = [
        signal(wave(100), 100, "EEG Fpz-Cz", "uV"),
        signal(wave(25), 25, "Resp", "au"),
        signal(-2 * wave(100), 100, "EEG Pz-Oz", "uV"),
    ]
    notes = [edfio.EdfAnnotation(3, 1, "spindle")]
    edfio.Edf(signals, annotations=notes).write(path)
    return path


def test_each_rate_is_a_dataset_and_annotations_are_no_channels(two_rates):
    fast, slow = load_datasets(two_rates)
    assert (fast.name, slow.name) == ("night [100 Hz]", "night [25 Hz]")
    assert fast.channel_names == ("EEG Fpz-Cz", "EEG Pz-Oz") and slow.channel_names == ("Resp",)
    assert (fast.dt, slow.dt, fast.unit) == (0.01, 0.04, "s")
    assert (len(fast.sequences[0]), len(slow.sequences[0])) == (2000, 500)
    step = 10 / 65535  # physical range over the whole numbers of 16 bits
    assert np.abs(fast.sequences[0][:, 1] + 2 * wave(100)).max() <= step / 2 + 1e-12
    assert fast.notes[0] == "values in uV, as the file scales them"


def test_one_dataset_of_several_rates_is_refused_with_the_way_out(two_rates, capsys):
    with pytest.raises(ConfigError) as error:
        load_dataset(two_rates)
    text = str(error.value)
    assert "100 Hz: EEG Fpz-Cz, EEG Pz-Oz; 25 Hz: Resp" in text
    assert "channels=" in text and "common_hz=25" in text
    assert load_dataset(two_rates, channels="Resp").channel_names == ("Resp",)
    chosen = load_dataset(two_rates, channels=["EEG Pz-Oz", "EEG Fpz-Cz"])
    assert chosen.channel_names == ("EEG Pz-Oz", "EEG Fpz-Cz")
    with pytest.raises(ConfigError, match="2 rates"):
        load_dataset(two_rates, channels=["Resp", "EEG Pz-Oz"])
    with pytest.raises(ConfigError, match="no channel 'EEG Pz-Ox'"):
        load_dataset(two_rates, channels="EEG Pz-Ox")


def test_channels_restrict_what_each_rate_gives(two_rates):
    made = load_datasets(two_rates, channels=["EEG Pz-Oz", "Resp"])
    assert [d.channel_names for d in made] == [("EEG Pz-Oz",), ("Resp",)]
    assert len(load_datasets(two_rates, channels="Resp")) == 1


@pytest.mark.parametrize("hz", [25, 50, 100])
def test_a_common_grid_is_made_on_request_and_says_so(two_rates, hz):
    (data,) = load_datasets(two_rates, common_hz=hz)
    assert data.dt == 1 / hz and data.name == "night"
    assert data.channel_names == ("EEG Fpz-Cz", "EEG Pz-Oz", "Resp")
    values = data.sequences[0]
    # the slow channel ends at 19.96 s, the fast ones at 19.99 s: nothing is made up beyond
    assert (len(values) - 1) / hz <= 19.96 < len(values) / hz
    inside = slice(4 * hz, -4 * hz)
    wanted = np.sin(2 * np.pi * 1.5 * np.arange(len(values)) / hz)
    # half a step of the file's whole numbers, and 1e-6 of the filter
    assert np.abs(values[inside, 0] - wanted[inside]).max() < 1e-4
    assert np.abs(values[inside, 2] - wanted[inside]).max() < 1e-4
    assert f"from 100 and 25 Hz to {hz} Hz on request" in data.notes[-1]
    assert data.notes[0].endswith("in uV (EEG Fpz-Cz, EEG Pz-Oz), au (Resp)")


def test_too_short_for_the_filter_names_the_file_and_the_length(tmp_path):
    edfio.Edf([signal(wave(100, 4), 100, "a"), signal(wave(50, 4), 50, "b")]).write(
        tmp_path / "short.edf"
    )
    with pytest.raises(GridError, match=r"short.* got 400 samples, expected 483 or more"):
        load_dataset(tmp_path / "short.edf", common_hz=50)


def test_the_command_measures_each_rate_and_prints_both(two_rates, capsys):
    assert run(["data", str(two_rates)]) == 0
    out = capsys.readouterr().out
    assert "task continuity: night [100 Hz]" in out and "task continuity: night [25 Hz]" in out
    assert run(["data", str(two_rates), "--common-hz", "25"]) == 0
    assert "on request" in capsys.readouterr().out
    assert run(["data", str(two_rates), "--channels", "EEG Fpz-Cz,EEG Pz-Oz", "--dry-run"]) == 0
    assert "2 channels, length 2000, dt 0.01 s" in capsys.readouterr().err


def test_a_missing_package_names_the_command(two_rates, monkeypatch):
    monkeypatch.setitem(sys.modules, "edfio", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'timegrain\[science\]'"):
        load_dataset(two_rates, channels="Resp")


def test_labels_met_again_get_a_number_and_empty_ones_a_place(tmp_path):
    path = tmp_path / "a.edf"
    edfio.Edf([signal(wave(50), 50, label) for label in ("EMG", "EMG", "", "EMG")]).write(path)
    assert load_dataset(path).channel_names == ("EMG", "EMG (2)", "signal 3", "EMG (3)")


def test_twelve_leads_at_two_rates_read_back_as_they_were_measured(tmp_path):
    ecg = load_dataset("ecg").sequences[0][:, 0]
    slow = fir_decimate(ecg, 4, axis=0)
    fast = np.column_stack([ecg * (1 - 0.3 * i) + 0.02 * i for i in range(8)])
    parts = [signal(fast[:, i], 360, f"ECG {LEADS[i]}") for i in range(8)]
    parts += [signal(slow * (0.2 + 0.1 * i), 90, f"ECG {LEADS[8 + i]}") for i in range(4)]
    edfio.Edf(parts).write(tmp_path / "leads.edf")
    read = load_datasets(tmp_path / "leads.edf")
    assert [d.n_channels for d in read] == [8, 4] and [1 / d.dt for d in read] == [360, 90]
    sources = (fast, np.column_stack([slow * (0.2 + 0.1 * i) for i in range(4)]))
    for data, source in zip(read, sources, strict=True):
        made = dataset_continuity(data, replicates=99)
        given = Dataset(name="source", sequences=(source,), dt=data.dt, unit="s")
        step = 10 / 65535
        spread = source.std(axis=0).min()
        # rounding moves a sample by half a step, a residual by one step at most: the root of D
        # moves by sqrt(1 / 1.5) steps over the spread, and by the spread's own change
        known = dataset_continuity(given, replicates=99).discontinuity
        for stride, d in made.discontinuity.items():
            bound = step / spread * (np.sqrt(1 / 1.5) + np.sqrt(known[stride]))
            assert abs(np.sqrt(d) - np.sqrt(known[stride])) <= bound


def discontinuous(path, onsets, *, hz=50, keep=True):
    """An EDF+ file whose records of one second begin at the given times."""
    values = np.arange(len(onsets) * hz, dtype=float) % 997
    edf = edfio.Edf(
        [edfio.EdfSignal(values, hz, label="x", physical_range=(0, 1000))],
        data_record_duration=1.0,
        annotations=[edfio.EdfAnnotation(0, None, "room for longer times")],
    )
    edf.write(path)
    content = bytearray(path.read_bytes())
    content[192:197] = b"EDF+D"
    header = edf.bytes_in_header_record
    size = (len(content) - header) // len(onsets)
    width = size - 2 * hz
    for i, onset in enumerate(onsets):
        text = f"+{onset:g}\x14\x14\x00".encode() if keep else b"no time"
        at = header + i * size + 2 * hz
        content[at : at + width] = text.ljust(width, b"\0")[:width]
    path.write_bytes(content)
    return values


def test_a_discontinuous_recording_is_cut_at_its_gaps(tmp_path):
    path = tmp_path / "gaps.edf"
    values = discontinuous(path, [5, 6, 7, 20, 21, 22.5])
    data = load_dataset(path)
    assert data.lengths.tolist() == [150, 100, 50]
    assert data.starts.tolist() == [0, 15 * 50, round(17.5 * 50)]
    assert data.ids == ("gaps",) * 3 and data.groups.tolist() == [0, 0, 0]
    joined = np.concatenate(data.sequences)[:, 0]
    assert np.abs(joined - values).max() <= 1000 / 65535
    assert any("leaves time out 2 times, 12.5 s in all" in note for note in data.notes)


def test_parts_of_a_discontinuous_recording_are_resampled_one_by_one(tmp_path):
    discontinuous(tmp_path / "gaps.edf", [*range(10), *range(20, 30)])
    data = load_dataset(tmp_path / "gaps.edf", common_hz=25)
    assert data.lengths.tolist() == [250, 250] and data.starts.tolist() == [0, 500]
    assert data.groups.tolist() == [0, 0]


def test_a_step_back_in_time_is_cut_and_told(tmp_path):
    discontinuous(tmp_path / "back.edf", [0, 1, 2, 0, 1])
    data = load_dataset(tmp_path / "back.edf")
    assert data.lengths.tolist() == [150, 100]
    assert any("steps back in time once" in note for note in data.notes)


def test_records_that_follow_each_other_are_one_recording(tmp_path):
    discontinuous(tmp_path / "whole.edf", [0, 1, 2.0001, 3])
    data = load_dataset(tmp_path / "whole.edf")
    assert len(data) == 1 and data.groups is None and data.starts is None


def test_a_discontinuous_file_has_to_say_when_records_begin(tmp_path):
    discontinuous(tmp_path / "a.edf", [0, 1, 2], keep=False)
    with pytest.raises(DataError, match=r"a\.edf, data record 1: no time at which it begins"):
        load_dataset(tmp_path / "a.edf")
    edfio.Edf([signal(wave(50), 50, "x")]).write(tmp_path / "b.edf")
    content = bytearray((tmp_path / "b.edf").read_bytes())
    content[192:197] = b"EDF+D"
    (tmp_path / "b.edf").write_bytes(content)
    with pytest.raises(DataError, match="expected a signal of annotations"):
        load_dataset(tmp_path / "b.edf")


def test_an_interrupted_recording_is_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "cut.edf"
    edfio.Edf([signal(wave(50), 50, "x")], data_record_duration=1.0).write(path)
    content = bytearray(path.read_bytes())
    content[236:244] = b"-1      "
    path.write_bytes(content[:-30])
    data = load_dataset(path)
    assert data.lengths.tolist() == [950]
    assert any("19 complete ones were read, 70 bytes not" in note for note in data.notes)


def test_the_file_stays_on_disk_while_only_one_channel_is_read(tmp_path):
    import tracemalloc

    path = tmp_path / "long.edf"
    edfio.Edf([signal(wave(500, 400), 500, f"c{i}") for i in range(20)]).write(path)
    size = path.stat().st_size
    assert size > 7_900_000
    load_dataset(path, channels="c1")
    tracemalloc.start()
    try:
        load_dataset(path, channels="c1")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # 200,000 samples: as floats twice (edfio's and ours), and as whole numbers
    assert peak < 200_000 * (8 + 8 + 8 + 2) + 500_000 < size

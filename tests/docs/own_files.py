"""Files made to look like people's own, always the same ones."""

import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np

RHYTHM = {"walk": 1.8, "run": 2.8, "sit": 0.0}


def write_movement(path: Path) -> None:
    """77 people, 6 channels at 100 Hz with jitter, gaps, repeated times and one clock reset."""
    rng = np.random.default_rng(7)
    with path.open("w", encoding="utf-8") as file:
        file.write("person,time,ax,ay,az,gx,gy,gz,activity\n")
        for p in range(77):
            n = int(rng.integers(500, 600))
            activity = list(RHYTHM)[p % 3]
            clock = np.arange(n) * 0.01 + rng.normal(scale=0.0006, size=n)
            times = 1_700_000_000 + 1000 * p + clock
            if p % 9 == 0:
                times[n // 2 :] += rng.uniform(0.05, 2.5)
            if p == 33:
                times[n // 3 :] -= 5000
            if p % 20 == 0:
                times[50] = times[49]
            for at, row in zip(times, _movement(rng, clock, RHYTHM[activity]), strict=True):
                cells = ",".join(f"{v:.3f}" for v in row)
                file.write(f"p{p:02d},{at:.4f},{cells},{activity}\n")


def _movement(rng: np.random.Generator, clock: np.ndarray, rhythm: float) -> np.ndarray:
    pace = rhythm * rng.uniform(0.9, 1.1)
    phase = rng.uniform(0, 2 * np.pi, size=6)
    drift = np.cumsum(rng.normal(scale=0.02, size=(len(clock), 6)), axis=0)
    swing = np.sin(2 * np.pi * pace * clock[:, None] + phase) * (1.0 if rhythm else 0.0)
    return drift + swing + rng.normal(scale=0.05, size=(len(clock), 6))


def write_weather(path: Path) -> None:
    """A year of hours in local time, as a German spreadsheet writes them, with hours missing."""
    rng = np.random.default_rng(3)
    start = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    hours = np.arange(8760)
    day, year = np.sin(2 * np.pi * hours / 24), -np.cos(2 * np.pi * hours / 8760)
    weather = np.convolve(rng.normal(size=8760), np.exp(-np.arange(96) / 24), mode="same")
    lines = ["time;temperature;pressure;sky"]
    for hour in hours:
        if 3000 <= hour < 3040 or hour in (100, 2000):
            continue
        local = start + datetime.timedelta(hours=int(hour))
        local = local.astimezone(ZoneInfo("Europe/Berlin"))
        temperature = 9 + 4 * day[hour] + 9 * year[hour] + weather[hour]
        pressure = 1013 - 2 * weather[hour] + rng.normal(scale=0.1)
        cells = f"{temperature:.1f};{pressure:.1f}".replace(".", ",")
        lines.append(f"{local:%Y-%m-%d %H:%M};{cells};{'rain' if weather[hour] > 3 else 'dry'}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_ecg(path: Path) -> None:
    """Twenty seconds of twelve leads at 500 Hz and of breathing at 50 Hz."""
    import edfio

    rng = np.random.default_rng(5)
    t = np.arange(10_000) / 500
    beat = np.exp(-(((t % 0.8) - 0.3) ** 2) / 2e-4) + 0.2 * np.exp(-(((t % 0.8) - 0.5) ** 2) / 2e-3)
    leads = ["I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"]
    signals = [
        edfio.EdfSignal(
            rng.uniform(0.3, 1.2) * beat + rng.normal(scale=0.01, size=len(t)),
            sampling_frequency=500,
            label=lead,
            physical_dimension="mV",
        )
        for lead in leads
    ]
    breath = np.sin(2 * np.pi * 0.25 * np.arange(1000) / 50) + rng.normal(scale=0.02, size=1000)
    signals.append(edfio.EdfSignal(breath, sampling_frequency=50, label="breathing"))
    edfio.Edf(signals).write(path)


def write_motor(path: Path) -> None:
    """150 recordings of five seconds at 200 Hz, which the file does not say, of three speeds."""
    rng = np.random.default_rng(11)
    tones = {"slow": 5.0, "even": 10.0, "fast": 20.0}
    speed = np.resize(list(tones), 150)
    hertz = np.array([tones[s] for s in speed]) * rng.uniform(0.95, 1.05, size=150)
    turns = hertz[:, None] * np.arange(1000) / 200 + rng.uniform(size=(150, 1))
    x = np.sin(2 * np.pi * turns) + 0.3 * rng.normal(size=(150, 1000))
    np.savez(path, x=x, speed=speed)


def write_gears(path: Path) -> None:
    """80 series whose state shows in whether neighbours are alike or opposite, and nowhere else."""
    rng = np.random.default_rng(12)
    lines = ["state," + ",".join(map(str, range(64)))]
    for i in range(80):
        x, pull = rng.normal(size=64), -0.8 if i % 2 else 0.8
        for k in range(1, 64):
            x[k] += pull * x[k - 1]
        lines.append(("worn," if i % 2 else "good,") + ",".join(f"{v:.3f}" for v in x))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")

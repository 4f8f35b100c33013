"""The page of measured figures: `docs/performance.md`."""

HEAD = """# Performance on the CPU

`make bench` measures this page on your machine and writes it; nobody types its figures. One run, in
one process (memory apart). Before anything is timed, values and gradients of all contenders are
compared on the same weights and inputs. Contenders then take turns within a round; a ratio is
formed within a round, so that a slow moment of the machine meets both. Given are medians, in
brackets the smallest and largest.

What is **not** shown: GPUs; other processors; other sizes than those named. Rivals are what a
user gets from a package on a CPU today. Most are references or were written for accelerators, and
each section says so: a large factor over such a rival says that the rival is slow here, not that
the kernel is near what the machine can do. For that, look at the shares of the issue rate and of
the copy bandwidth, both measured in the same run.
"""


def render(result):
    """Return the page of one result."""
    parts = [HEAD, _machine(result)]
    for section in result["sections"]:
        parts.append(f"## {section['title']}\n\n{section['text']}\n")
        parts.append(_table(section["rows"]))
        parts += [f"{note}\n" for note in section["notes"]]
    return "\n".join(parts)


def _machine(result):
    m, versions = result["machine"], result["machine"]["versions"]
    text = ", ".join(f"{name} {v}" for name, v in versions.items() if v)
    missed = [
        f"{section['title']}: {row['what']}"
        for section in result["sections"]
        for row in section["rows"]
        if row["met"] is False
    ]
    lines = [
        f"Measured {result['date']} in {result['seconds']:.0f} s: {m['processor']}, {m['cores']} "
        f"cores, torch on {m['threads']} threads, {m['system']}, Python {m['python']}, {text}; "
        f"load before the start {m['load']}; "
        f"{'glibc keeps its memory' if m['malloc'] else 'glibc with its defaults'}.",
        "",
        "Every target is met." if not missed else "Targets missed: " + "; ".join(missed) + ".",
        "",
    ]
    if result["quick"]:
        lines = ["**A smoke test with tiny sizes: no measurement.**", "", *lines]
    return "\n".join(lines)


def _table(rows):
    if any(row["other"] for row in rows):
        head = ["what", "timegrain", "rival", "its time", "ratio", "target", "rounds"]
        cells = [_against(row) if row["other"] else _plain(row) for row in rows]
    else:
        head, cells = ["what", "measured", "target", "rounds"], [_short(row) for row in rows]
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _against(row):
    other = _number(row["other_value"], row["unit"])
    ratio = f"{row['ratio']:.1f}x ({row['ratio_low']:.1f}-{row['ratio_high']:.1f})"
    return [row["what"], _value(row), row["other"], other, ratio, _target(row), str(row["rounds"])]


def _plain(row):
    return [row["what"], _value(row), "", "", "", _target(row), str(row["rounds"])]


def _short(row):
    return [row["what"], _value(row), _target(row), str(row["rounds"])]


def _value(row):
    text = _number(row["value"], row["unit"])
    if row["rounds"] < 2:
        return text
    return f"{text} ({_digits(row['low'])}-{_digits(row['high'])})"


def _number(value, unit):
    return f"{_digits(value)} {unit}"


def _digits(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _target(row):
    if row["target"] is None:
        return ""
    return row["target"] + (": met" if row["met"] else ": **missed**")

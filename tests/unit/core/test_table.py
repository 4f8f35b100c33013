from timegrain.core.table import number, pairs, render


def test_numbers_are_short_and_faithful():
    assert [number(v) for v in (0.0, None, 64.0, 0.1234, 4.241e-4, 1234567.8)] == [
        "0",
        "-",
        "64",
        "0.123",
        "4.24e-04",
        "1.23e+06",
    ]


def test_render_aligns_columns():
    lines = render(["set", "D"], [["a", "10"], ["long name", "2"]]).splitlines()
    assert lines == ["set         D", "---------  --", "a          10", "long name   2"]


def test_pairs_wrap_to_the_width():
    text = pairs([("label", "word " * 40)], title="title", width=40)
    assert max(len(line) for line in text.splitlines()) <= 40
    assert text.count("word") == 40

import paper_continuity


def test_the_page_and_its_figures_are_of_what_was_measured(tmp_path):
    paper_continuity.main(["--systems", "6,7", "--output", str(tmp_path)])
    assert {p.name for p in tmp_path.iterdir()} == {
        "paper-continuity.md",
        "paper-continuity.svg",
        "paper-continuity-column.svg",
    }
    text = (tmp_path / "paper-continuity.md").read_text()
    assert "**6 systems**" in text and "## Median rms error over 7 systems" in text
    assert text.count("| S6, bilinear | 32 |") == 2

"""The code of the page on sources runs in its order."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "your-own-source.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_code_runs_and_what_is_checked_passes(capsys):
    names: dict[str, object] = {}
    for block in BLOCKS:
        exec(compile(block, "your-own-source.md", "exec"), names)
    printed = capsys.readouterr().out
    assert printed.startswith("source check: ItalyPowerDemand")
    assert "FAILED" not in printed
    assert names["result"].n_sequences == 256 + 200 + 256
    assert names["task"].name == "GunPoint"

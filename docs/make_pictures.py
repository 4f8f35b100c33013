"""Draw the picture of the README from an output directory of `timegrain demo`.

Run it as `python docs/make_pictures.py demo-report` from the root of the repository.
"""

import sys
from pathlib import Path

from timegrain.core import read_output
from timegrain.report.figures import headline


def main(directory: Path) -> None:
    """Write docs/images/headline.png from the results stored in `directory`."""
    results = read_output(directory).results
    data = [r for r in results if r.kind == "task-continuity"]
    curves = [r for r in results if r.kind == "transfer-curve"]
    target = Path("docs/images")
    target.mkdir(parents=True, exist_ok=True)
    headline(data, curves).savefig(target / "headline.png", dpi=150)  # type: ignore[arg-type]
    print(target / "headline.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

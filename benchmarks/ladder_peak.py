"""Print how far one ladder, or one forward of its finest batch, raises the memory of a process.

python -m ladder_peak s4d 1.0 ladder 0
"""

import sys

from ladder import QUICK, SIZES, peak

if __name__ == "__main__":
    name, amplitudes, kind, quick = sys.argv[1:]
    heights = tuple(float(a) for a in amplitudes.split(","))
    print(f"{peak(name, heights, QUICK if int(quick) else SIZES, kind):.1f}")

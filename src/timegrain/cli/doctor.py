"""`timegrain doctor`: does this installation work?"""

import sys

from timegrain.cli.flags import Json


def doctor(*, json: Json = False) -> int:
    """Say what the installation is made of and test it, in about ten seconds; 1 if it is broken.

    Versions, threads, the processor, which backend each kernel runs on and why, compiled kernels on
    disk; then kernels against plain loops, layers against formulas, and a small training.
    """
    import json as codec

    from timegrain.checks import examine
    from timegrain.cli.compiling import tell, tells_of_compiling
    from timegrain.cli.facts import facts_text
    from timegrain.core.codec import encode

    with tells_of_compiling():
        found = examine(progress=tell)
    if json:
        codec.dump(encode(found), sys.stdout, indent=2)
        print()
    else:
        print(facts_text(found))
    return 0 if found.works else 1

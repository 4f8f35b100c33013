"""How large the benchmark of subsampling is."""

from dataclasses import asdict, dataclass

TASKS = (
    "lorenz",
    "van-der-pol",
    "OSULeaf",
    "PigCVP",
    "JapaneseVowels",
    "mnist-row",
    "mnist-permuted",
    "listops",
    "selective-copy-last",
)
MODELS = ("s4d", "s6", "gru")
# 16 complex pairs give S4D as many parameters as S6 has with 16 real states
OPTIONS = {"s4d": {"n_pairs": 16}, "s6": {}, "gru": {}}


@dataclass(frozen=True, kw_only=True, eq=False)
class Preset:
    """Sizes of the benchmark.

    `epochs` holds full-resolution epochs for S4D, S6 and GRU; `seeds` how many seeds each gets, and
    `rival_seeds` how many of these the two other ways to see fewer samples get at most.
    `n_train` of None takes the whole training part, and `n_train_gru` is the GRU's own, whose steps
    cost as many calls as there are samples. After each epoch `n_watch` test cases are scored; the
    final score is of `n_test`.
    """

    name: str
    epochs: dict[str, tuple[int, int, int]]
    seeds: dict[str, int]
    n_train: int | None
    n_train_gru: int | None
    n_test: int | None
    n_watch: int
    rival_seeds: int = 3
    d_model: int
    n_layers: int = 2
    batch_size: int = 16
    rates: tuple[float, ...] = (0.003, 0.01, 0.03, 0.06)
    tune_share: float = 1 / 3
    choice_seeds: int = 2
    two_stages: int = 4
    third: int = 3

    def settings_of(self, unit):
        """Return what a unit's result depends on: not how many others there are."""
        settings = asdict(self)
        for name in ("epochs", "seeds", "rival_seeds", "choice_seeds", "n_train_gru"):
            del settings[name]
        if unit.kind != "plan":
            settings["epochs"] = self.epochs[unit.task][MODELS.index(unit.model)]
        if unit.model == "gru":
            settings["n_train"] = self.n_train_gru
        return settings


QUICK = Preset(
    name="quick",
    # five to ten seconds of one core
    epochs={
        "lorenz": (14, 5, 3),
        "van-der-pol": (14, 5, 3),
        "OSULeaf": (28, 10, 3),
        "PigCVP": (18, 5, 2),
        "JapaneseVowels": (60, 25, 20),
        "mnist-row": (10, 3, 2),
        "mnist-permuted": (10, 3, 2),
        "listops": (28, 8, 5),
        "selective-copy-last": (24, 8, 5),
    },
    seeds={"s4d": 5, "s6": 3, "gru": 3},
    n_train=512,
    n_train_gru=128,
    n_test=400,
    n_watch=128,
    d_model=32,
    rates=(0.006, 0.02, 0.06),
    choice_seeds=1,
)
FULL = Preset(
    name="full",
    # fifteen to twenty-five seconds of one core
    epochs={
        "lorenz": (8, 7, 8),
        "van-der-pol": (8, 7, 8),
        "OSULeaf": (60, 50, 10),
        "PigCVP": (24, 20, 4),
        "JapaneseVowels": (120, 80, 60),
        "mnist-row": (6, 5, 5),
        "mnist-permuted": (6, 5, 5),
        "listops": (24, 16, 10),
        "selective-copy-last": (24, 16, 10),
    },
    seeds={"s4d": 3, "s6": 3, "gru": 3},
    n_train=1000,
    n_train_gru=192,
    n_test=1000,
    n_watch=200,
    d_model=64,
    rates=(0.006, 0.02, 0.06),
    choice_seeds=1,
)
PRESETS = {preset.name: preset for preset in (QUICK, FULL)}

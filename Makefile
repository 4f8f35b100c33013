# Two commands do everything: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready
# Large temporaries make page faults dominate torch on the CPU; these keep memory in the process.
QUIET_MALLOC := MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 MALLOC_TOP_PAD_=268435456

.PHONY: demo test setup lint types layers spelling unit bench clean

demo: $(READY)
	$(QUIET_MALLOC) $(BIN)/timegrain demo --output demo-report

test: lint types layers spelling unit

setup: $(READY)

$(READY): pyproject.toml constraints.txt demo-data.txt benchmarks/requirements.txt Makefile
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else \
	"timegrain needs Python 3.11 or newer, got %d.%d. Try: make PYTHON=/path/to/python3.11" % v[:2])'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt hatchling editables
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps --requirement demo-data.txt --requirement benchmarks/requirements.txt
	@touch $(READY)

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

spelling: $(READY)
	$(BIN)/codespell

# One worker a core, each with one thread: tests are small, and most of their time compiles kernels.
WORKERS := --numprocesses auto --maxprocesses 8 --dist worksteal
unit: export OMP_NUM_THREADS = 1
unit: $(READY)
	$(QUIET_MALLOC) $(BIN)/python -m pytest $(WORKERS)
	$(QUIET_MALLOC) $(BIN)/python -m pytest $(WORKERS) --doctest-modules --import-mode=prepend src

bench: $(READY)
	$(QUIET_MALLOC) $(BIN)/python benchmarks/run.py

clean:
	rm -rf .venv demo-report .cache

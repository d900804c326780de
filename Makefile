# Two commands do all set-up: `make demo` and `make test`. Everything is installed into .venv from requirements.lock.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# One more than two cores: many tests wait for servers and processes that they started.
TESTERS ?= 3
export GX_ANALYTICS_ENABLED := false
export DAGSTER_DISABLE_TELEMETRY := yes

.PHONY: demo test check setup packages ui fuzz chaos bench apiserver-test storage-test arrivals-test month-test radosgw-test focus-test posting-test dictionary lock clean

demo: setup          ## bills a month of a real Slurm cluster's records and shows where to look
	@$(BIN)/chargeback demo

test: setup packages check  ## all tests; says what it left out where a Debian package is missing
	@$(BIN)/pytest -n $(TESTERS) --dist worksteal
	@sh tests/left_out.sh

check: setup         ## style, types, import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

setup: $(STAMP)      ## .venv with everything in it, and .venv/bin/chargeback

$(STAMP): requirements.lock pyproject.toml
	@echo "setting up $(VENV) (once; about a minute)"
	@$(PYTHON) -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13)) and "Python 3.11 to 3.13 is needed, this is " + sys.version.split()[0] + "; name another: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

packages:            ## Debian packages that the real components of the tests need, where we may install them
	@sh tests/install_packages.sh

ui: setup            ## Dagster's web server and daemon on the lake of this folder
	@$(BIN)/chargeback ui

fuzz: setup          ## 100,000 mutated sacct records; each is held, ignored or quarantined
	@$(BIN)/python -m tests.fuzz.fuzz_sacct

chaos: setup         ## a small month on S3 through 500 kills (KILLS=, SEED=) and a store that fails one request in twenty
	@CHAOS_KILLS=$${KILLS:-500} CHAOS_SEED=$${SEED:-1} $(BIN)/pytest -q -s --timeout=14400 tests/chaos/test_storm.py

bench: setup         ## CPU time of a day's stages and of re-rating a year beside the physical limit; memory of a month's documents
	@$(BIN)/python -m benchmarks.day_of_holds
	@$(BIN)/python -m benchmarks.day_of_samples
	@$(BIN)/python -m benchmarks.rerating
	@$(BIN)/python -m benchmarks.month_documents

apiserver-test: setup ## the Kubernetes listing from a real kube-apiserver (KUBE_APISERVER=/path/to/the/binary) and etcd
	@command -v etcd >/dev/null || { echo "no etcd: install the Debian package etcd-server"; exit 2; }
	@command -v "$${KUBE_APISERVER:-kube-apiserver}" >/dev/null || { echo "no kube-apiserver: CONTRIBUTING.md says where to get one"; exit 2; }
	@$(BIN)/pytest -q tests/resources/test_real_apiserver.py

storage-test: setup  ## eight processes write eight partitions fifty times each, hundreds of writers are killed; minutes
	@$(BIN)/pytest -m slow --durations=0 tests/resources

arrivals-test: setup ## 10,000 real extracts arrive at once (STORM=): ticks, their length, runs a day
	@$(BIN)/pytest -s -m slow --timeout=14400 tests/orchestration/test_storm.py

month-test: setup    ## the worked month, whole, by the jobs that the UI runs: the same contents as by the commands; a charged month's longer ways
	@$(BIN)/pytest -m slow --timeout=3600 tests/orchestration/test_worked_month.py tests/orchestration/test_charged_month.py

radosgw-test: setup  ## the lake and its preflight on a second vendor's store, Ceph's; Debian's packages of it, as root
	@command -v radosgw >/dev/null || { echo "no radosgw: apt-get install --no-install-recommends ceph-mon ceph-mgr ceph-osd radosgw ceph-common"; exit 2; }
	@$(BIN)/pytest -s -m radosgw --durations=0 tests/resources/test_radosgw.py

focus-test: setup    ## the official FOCUS validator, in .venv-focus, on every version of the worked month (Python 3.12: FOCUS_PYTHON=)
	@$(BIN)/python -m tests.focus_validator.validate

posting-test: setup packages ## the journal into a living ERP, Tryton on PostgreSQL, in .venv-tryton; every kill point of every adapter
	@$(BIN)/pytest -m tryton --timeout=3600 tests/assets/test_posting_tryton.py
	@POSTING_KILLS=1 $(BIN)/pytest -n $(TESTERS) --timeout=3600 tests/assets/test_sending_kills.py

dictionary: setup    ## docs/data-dictionary.md from the contracts
	@$(BIN)/python -m orchestration.data_dictionary

lock: setup          ## requirements.lock from pyproject.toml: universal, hashed, no index named
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate --no-header \
		--python-version 3.11 --group dev pyproject.toml --output-file requirements.lock

clean:               ## what make made; the demo's lake too
	@rm -rf $(VENV) .venv-focus .venv-tryton demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

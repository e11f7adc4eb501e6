# Two commands do everything: `make demo` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
CORES ?= all
UV := $(or $(shell command -v uv),.venv/bin/uv)
SNAKEMAKE := .venv/bin/snakemake --cores $(CORES)
RUN_LOCKS := envs/analysis.lock.txt envs/torch.lock.txt envs/workflow.lock.txt

.PHONY: demo test fast-test lint format lock clean

demo: .venv/run.stamp  ## build the embedded study and show its main table
	@$(SNAKEMAKE) demo
	@.venv/bin/python -m scripts.lib.summary results/demo

test: .venv/test.stamp  ## run every test, the slow ones included
	.venv/bin/python -m pytest -m "slow or not slow"

fast-test: .venv/test.stamp  ## run the tests that train nothing
	.venv/bin/python -m pytest

lint: .venv/test.stamp  ## check layout and rules
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/snakefmt --check Snakefile rules
	.venv/bin/snakemake --lint

format: .venv/test.stamp  ## put code and rules into layout
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
	.venv/bin/snakefmt Snakefile rules

lock: .venv/run.stamp  ## renew the pinned versions from envs/*.in, all four solved together
	cd envs && compile="$(abspath $(UV)) pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header" \
		&& $$compile --upgrade analysis.in torch.in workflow.in test.in -o ../.venv/all.lock.txt \
		&& for name in analysis torch workflow test; do \
			$$compile --upgrade -c ../.venv/all.lock.txt $$name.in -o $$name.lock.txt || exit 1; \
		done

clean:  ## remove the environment and everything computed
	rm -rf .venv .snakemake $(filter-out results/README.md,$(wildcard results/*))

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv

.venv/bin/uv: | .venv/bin/python
	.venv/bin/python -m pip install --quiet uv

.venv/run.stamp: $(RUN_LOCKS) | .venv/bin/python $(UV)
	$(UV) pip install --quiet --python .venv/bin/python $(RUN_LOCKS:%=-r %)
	@touch $@

.venv/test.stamp: .venv/run.stamp envs/test.lock.txt
	$(UV) pip install --quiet --python .venv/bin/python $(RUN_LOCKS:%=-r %) -r envs/test.lock.txt
	@touch $@

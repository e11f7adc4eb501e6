# Two commands do everything: `make demo` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
CORES ?= all
STUDY ?= demo
PROFILE ?= slurm
UV := $(or $(shell command -v uv),.venv/bin/uv)
SNAKEMAKE := .venv/bin/snakemake --cores $(CORES)
ENVIRONMENTS := analysis torch pretrained workflow cluster test
RUN_LOCKS := envs/analysis.lock.txt envs/torch.lock.txt envs/workflow.lock.txt
TEST_LOCKS := $(RUN_LOCKS) envs/pretrained.lock.txt envs/test.lock.txt
INSTALL = $(UV) pip install --quiet --python .venv/bin/python --override envs/overrides.txt

.PHONY: demo estimate cluster test fast-test test-slurm lint format lock clean

demo: .venv/run.stamp  ## build the embedded study and show its main table
	@$(SNAKEMAKE) demo
	@.venv/bin/python -m scripts.lib.summary results/demo

estimate: .venv/run.stamp  ## say what STUDY takes before it runs: jobs, time, disk
	@.venv/bin/python -m scripts.lib.estimate $(STUDY) $(ARGUMENTS)

cluster: .venv/cluster.stamp  ## build a study on a cluster: make cluster STUDY=… (docs/cluster.md)
	@set -a; if [ -e site.env ]; then . ./site.env; fi; set +a; \
		PYTHONPATH=$(abspath .venv/cluster) .venv/bin/snakemake --workflow-profile profiles/$(PROFILE) $(STUDY)

test: .venv/test.stamp  ## run every test but those that need a cluster
	.venv/bin/python -m pytest -m "not slurm"

fast-test: .venv/test.stamp  ## run the tests that train nothing
	.venv/bin/python -m pytest

test-slurm: .venv/test.stamp .venv/cluster.stamp  ## run a study on a Slurm cluster inside this machine
	.venv/bin/python -m pytest -m slurm tests/slurm

lint: .venv/test.stamp  ## check layout and rules
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/snakefmt --check Snakefile rules
	.venv/bin/snakemake --lint

format: .venv/test.stamp  ## put code and rules into layout
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
	.venv/bin/snakefmt Snakefile rules

lock: .venv/run.stamp  ## renew the pinned versions from envs/*.in, all solved together
	cd envs && compile="$(abspath $(UV)) pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header --override overrides.txt" \
		&& $$compile --upgrade $(ENVIRONMENTS:%=%.in) -o ../.venv/all.lock.txt \
		&& for name in $(ENVIRONMENTS); do \
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
	$(INSTALL) $(RUN_LOCKS:%=-r %)
	@touch $@

# In a folder of their own: the plugins load pandas at each start of Snakemake. What they need
# besides is part of .venv already.
.venv/cluster.stamp: .venv/run.stamp envs/cluster.lock.txt
	grep executor-plugin-[sc] envs/cluster.lock.txt > .venv/plugins.lock.txt
	$(INSTALL) --upgrade --target .venv/cluster --no-deps -r .venv/plugins.lock.txt
	@touch $@

.venv/test.stamp: .venv/run.stamp $(TEST_LOCKS) envs/overrides.txt
	$(INSTALL) $(TEST_LOCKS:%=-r %)
	@touch $@

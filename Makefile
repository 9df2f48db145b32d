# Two commands for a newcomer: `make demo` and `make test`. Both set up what they need, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
RESULTS := results

.DEFAULT_GOAL := help
.PHONY: help demo browser test lint bench clean

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

# The library alone: no torch, enough for the demo and for scoring.
$(VENV)/core: setup.cfg pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -qq --upgrade pip
	$(PIP) install -qq --constraint constraints.txt --editable .
	touch $@

# Torch comes first and pinned, so that nothing else pulls in another build. For one without CUDA (2 GB less):
#   make test TORCH_INDEX='--index-url https://download.pytorch.org/whl/cpu'
TORCH_INDEX ?=
$(VENV)/dev: $(VENV)/core
	$(PIP) install -qq $(TORCH_INDEX) --constraint constraints.txt torch
	$(PIP) install -qq --constraint constraints.txt --editable '.[api,hf,dev]'
	# The validator of Every Eval Ever runs on 3.11 and with current libraries, which its metadata rule out.
	$(PIP) install -qq --no-deps --ignore-requires-python every_eval_ever==0.3.0
	touch $@

demo: $(VENV)/core  ## the main job on the packaged sample: no network, no key, no GPU
	rm -rf $(RESULTS)/demo && mkdir -p $(RESULTS)/demo
	for policy in oracle random first abstain; do \
	  echo "hueval run --model hueval-baseline --model_args policy=$$policy --tasks openhueval"; \
	  HUEVAL_SAMPLE=1 HUEVAL_OFFLINE=1 HUEVAL_JUDGE=lexical $(BIN)/hueval run --model hueval-baseline \
	    --model_args policy=$$policy --tasks openhueval --output_path $(RESULTS)/demo >$(RESULTS)/demo/run.log 2>&1 \
	    || { cat $(RESULTS)/demo/run.log; exit 1; }; \
	done
	@echo
	$(BIN)/hueval table $(RESULTS)/demo
	$(BIN)/hueval report $(RESULTS)/demo --output $(RESULTS)/demo/report.html

# Debian's browser for the tests of the report page; where it cannot be installed they are skipped and say so.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium || true; \
	else echo "no chromium found: install it to run the tests of the report page"; fi

test: $(VENV)/dev browser  ## all tests, notebooks and docstring examples included, with coverage
	$(BIN)/python -m pytest --numprocesses 2 --cov --cov-report=term --cov-fail-under=90

lint: $(VENV)/dev  ## format, style, types, YAML
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/yamllint --strict .

bench: $(VENV)/dev  ## speed and memory, side by side with plain lm_eval and other judge clients (10 minutes)
	for bench in score compare report start_up data_convert judge_speed judge_faults judge_million; do $(BIN)/python tests/benchmarks/$$bench.py || exit 1; done

clean:  ## remove the environment and all results
	rm -rf $(VENV) $(RESULTS) build dist *.egg-info

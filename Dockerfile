# hueval as a command: docker build --tag hueval . && docker run --rm --volume hueval-cache:/cache hueval ls tasks
#
# The default runs judges, chat APIs and scoring on a CPU. Models on a GPU:
#   docker build --build-arg BASE=nvidia/cuda:13.0.1-runtime-ubuntu24.04 --build-arg EXTRAS=hf .
#   docker build --build-arg BASE=nvidia/cuda:13.0.1-devel-ubuntu24.04 --build-arg EXTRAS=vllm \
#     --build-arg CONSTRAINTS=constraints-vllm.txt .
# With the leaderboard (leaderboard/compose.yaml): --build-arg LEADERBOARD=1
ARG BASE=python:3.11-slim
FROM ${BASE}
ARG EXTRAS=api,fast
ARG CONSTRAINTS=constraints.txt
ARG LEADERBOARD=

# CUDA's images have no Python.
RUN python3 -c "import ensurepip" 2>/dev/null \
    || (apt-get update && apt-get install --yes --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*)

COPY pyproject.toml setup.cfg setup.py MANIFEST.in README.md LICENSE constraints.txt constraints-vllm.txt /src/
COPY hf_datasets /src/hf_datasets
COPY hueval_metrics /src/hueval_metrics
COPY lm_eval_tasks /src/lm_eval_tasks
COPY leaderboard/pyproject.toml leaderboard/setup.cfg leaderboard/setup.py leaderboard/MANIFEST.in leaderboard/README.md \
    leaderboard/LICENSE /src/leaderboard/
COPY leaderboard/hueval_site /src/leaderboard/hueval_site
RUN python3 -m venv /opt/hueval \
    && /opt/hueval/bin/pip install --no-cache-dir --constraint "/src/${CONSTRAINTS}" "/src[${EXTRAS}]" \
       ${LEADERBOARD:+/src/leaderboard} \
    && rm -rf /src

# /site, /labels, /verdicts: of a leaderboard, whose web server (10001) and worker (10002) are two users and share the group
# 10000; new volumes take their owners from here.
RUN useradd --create-home --uid 10001 hueval \
    && mkdir -p /cache /work /site/tmp /site/uploads /labels /verdicts \
    && chown hueval:hueval /cache /work \
    && chown -R hueval:10000 /site && chmod 2770 /site /site/tmp /site/uploads \
    && chown 10002:10000 /labels /verdicts && chmod 700 /labels /verdicts
ENV PATH=/opt/hueval/bin:$PATH \
    HUEVAL_CACHE_DIR=/cache
VOLUME /cache
WORKDIR /work
USER hueval
ENTRYPOINT ["hueval"]
CMD ["--help"]

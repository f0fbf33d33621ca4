# deadheat in a container. See docs/how-to/docker.md.
#
#   docker build -t deadheat .
#   docker run --rm -v "$PWD:/work:ro" deadheat scan ci.log
#
# With Spark and Java, for ingest, mine and place:
#   docker build -t deadheat-spark --build-arg EXTRAS=all --build-arg JAVA=1 .
ARG PYTHON=3.12

# the compiler stays in this stage
FROM python:${PYTHON}-slim-bookworm AS build
ARG EXTRAS=code,fast,lake,zstd
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN python -m venv /opt/deadheat \
    && /opt/deadheat/bin/pip install --no-cache-dir --constraint /src/constraints.txt "/src[${EXTRAS}]"

# bookworm is the newest Debian with Java 17
FROM python:${PYTHON}-slim-bookworm
# not empty: install Java 17 for Spark
ARG JAVA=
RUN apt-get update \
    && apt-get install -y --no-install-recommends git ${JAVA:+openjdk-17-jre-headless} \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home deadheat
COPY --from=build /opt/deadheat /opt/deadheat
ENV PATH=/opt/deadheat/bin:$PATH
USER deadheat
WORKDIR /work
ENTRYPOINT ["deadheat"]

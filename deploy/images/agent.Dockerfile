# The agent: docker build -f deploy/images/agent.Dockerfile -t upquorum-agent .
# Built by BuildKit, for amd64 and arm64 on either: npm runs on the builder's architecture, and the final stage runs nothing.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS install
ARG TARGETARCH
WORKDIR /source
COPY . .
RUN node deploy/package/main.ts /app --installed "$TARGETARCH"
RUN mkdir /state

# Only the program: its libraries, libcap2 and libidn2-0, are in the final image, and a capability of the file would not
# hold there without new privileges. Container runtimes let every user open the sockets that it needs.
FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS ping
ARG TARGETARCH
WORKDIR /download
RUN dpkg --add-architecture "$TARGETARCH" \
 && apt-get update \
 && apt-get download "iputils-ping:$TARGETARCH" \
 && dpkg-deb -x iputils-ping_*.deb . \
 && find . -type f -name ping -path '*/bin/*' -exec cp {} /ping ';' \
 && test -x /ping

FROM debian:bookworm-slim
COPY --from=install /app /app
COPY --from=install --chown=10001:10001 /state /var/lib/upquorum-agent
COPY --from=ping /ping /usr/bin/ping
ENV PATH=/app/bin:/usr/bin:/bin \
    HOME=/tmp \
    DATA_DIR=/var/lib/upquorum-agent \
    HEARTBEAT_FILE=/tmp/heartbeat
WORKDIR /app
USER 10001:10001
VOLUME /var/lib/upquorum-agent
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=2 \
  CMD ["find", "/tmp/heartbeat", "!", "-newermt", "-30 seconds", "-exec", "false", "{}", "+"]
ENTRYPOINT ["node"]
CMD ["agent/main.ts"]

# The monitor in a container, as a user without rights, for a mounted SQLite file or a server's URL (README.md, Install).
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN node scripts/setup.mjs \
    && npm pack --ignore-scripts --pack-destination /tmp \
    && tar -xzf /tmp/pynenc-monitor-*.tgz -C /opt

FROM gcr.io/distroless/nodejs24-debian12:nonroot
COPY --from=build /opt/package /app
# The app's folder is mounted here.
WORKDIR /data
ENV PYNENC_MONITOR_HOST=0.0.0.0
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:' + (process.env.PYNENC_MONITOR_PORT ?? 8000) + '/health').then((answer) => process.exit(answer.ok || answer.status === 401 ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/monitor.js"]
# Others can reach a container, so it asks for a token, whose address it prints, and is read-only. Flags and variables change both (docs/commands.md).
CMD ["serve", "--token", "auto"]

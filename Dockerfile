# There is no build step: Node 24 runs the TypeScript files as they are, by leaving their types out. The first stage brings
# the packages together; the second one has them, the sources and nothing else.
FROM node:24-slim AS packages
WORKDIR /app
# The optional packages are Node itself and the embedded PostgreSQL, for machines that have neither. Only they need
# install scripts.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

FROM node:24-slim
ARG VERSION
LABEL org.opencontainers.image.title="employee-ledger" \
      org.opencontainers.image.description="An Employee Public API whose every writing call is events in a ledger and one log entry" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY migrations ./migrations
COPY projections ./projections
COPY src ./src
# What the service hands out to programmers.
COPY clients/typescript ./clients/typescript
# What the service hands out to auditors.
COPY docs/audit-format.md docs/verify_ledger.py docs/verify_ledger.go ./docs/

# The program cannot write this itself: reading a file takes less processor time with it.
RUN node src/spreadsheets/process/write-plain-program.ts

# A volume that is mounted here for the first time belongs to whom the folder belongs to.
RUN mkdir /checkpoints && chown node:node /checkpoints

# The files are root's, so that the program cannot change itself: it runs as another user, and writes nowhere but there.
USER node
ENV HOST=0.0.0.0 PORT=3000 METRICS_HOST=0.0.0.0 METRICS_PORT=9464
EXPOSE 3000 9464
# Of the API and of a worker alike; whether the API may be sent calls is told by /readyz.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:' + process.env.METRICS_PORT + '/livez').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts", "serve"]

/** A part of the program and what it may import: nothing else, and only by these names. */
export interface Part {
  name: string
  /** Paths of its files; `*` stands for anything. */
  files: string
  /** Paths of the repository that it may import. */
  may: string[]
  /** Packages that it may import. */
  packages: string[]
  /** What it must never import: the rule would have no meaning if it let one of these pass. */
  never: string[]
}

const READING = [
  ...['browse-events', 'budget', 'codec', 'database-errors', 'event-line', 'export-pages', 'find-position', 'gather', 'key-access', 'merkle-subtrees', 'note-files'],
  ...['proof-line', 'prove', 'read', 'read-api-keys', 'read-company', 'read-employee-history', 'read-head'],
  ...['read-progress', 'read-standings', 'reads', 'read-stored-events', 'read-user-tokens', 'sessions', 'sign-checkpoint'],
  ...['system-health', 'tables', 'users'],
]
const LEDGER_TO_READ = READING.map((name) => `src/ledger/${name}.ts`)
const PROJECTION_LIST = ['projections/index.ts', 'projections/projection.ts']

/** From the top floor to the bottom one. */
export const PARTS: Part[] = [
  {
    name: 'the entry',
    files: 'src/main.ts',
    may: ['src/cli/*'],
    packages: [],
    never: ['src/bootstrap.ts', 'src/http/app.ts'],
  },
  {
    name: 'bench',
    files: 'bench/*',
    // It starts the program as a process; what it imports of it is what prepares a ledger, and what the plain peer shares.
    may: [
      ...['bench/*', 'src/commands/*', 'src/domain/*', 'src/database/*', 'src/http/cursor.ts', 'src/ledger/codec.ts', 'src/ledger/one-packet.ts', 'src/ledger/read-head.ts', 'src/ledger/tables.ts'],
      ...['src/ledger/place-events.ts', 'src/ledger/statements.ts'],
      ...['src/workers/project.ts', 'src/workers/rebuild.ts', ...PROJECTION_LIST],
    ],
    packages: ['@event-driven-io/emmett-postgresql', 'commander', 'fastify', 'kysely', 'pg', 'typeid-js', 'undici', 'node:*'],
    never: ['src/main.ts', 'src/bootstrap.ts', 'src/http/app.ts', 'src/ledger/lanes.ts', 'src/workers/queues.ts'],
  },
  {
    name: 'cli',
    files: 'src/cli/*',
    may: [
      ...['src/cli/*', 'src/bootstrap.ts', 'src/config.ts', 'src/doctor/*', 'src/log.ts', 'src/tracing/tracing.ts', 'src/commands/*', 'src/domain/*'],
      ...['src/database/connections.ts', 'src/database/errno.ts', 'src/database/fault-reason.ts', 'src/database/make-folder.ts', 'src/database/startup-error.ts'],
      ...['src/ledger/append-company-events.ts', 'projections/index.ts'],
      ...['src/ledger/read-api-keys.ts', 'src/ledger/users.ts'],
      // An export is read, an exported file is verified, and a signing key rotated, here alone.
      ...['export-pages', 'proof-line', 'read-head', 'read-stored-events', 'note-files', 'sign-checkpoint', 'signing-keys', 'checkpoint-note'].map((name) => `src/ledger/${name}.ts`),
      ...['export-lines', 'signed-note', 'verify-export'].map((name) => `src/ledger/${name}.ts`),
      // To tell how far the projections are, and to bring those of the demo up.
      ...['src/workers/checkpoints.ts', 'src/workers/project.ts'],
      // To rebuild, verify and prune them.
      ...['src/ledger/read-progress.ts', 'src/ledger/read-standings.ts', 'src/workers/prune.ts', 'src/workers/rebuild.ts', 'src/workers/rebuild-company.ts', 'src/workers/verify.ts'],
      ...['projections/projection.ts', 'src/workers/table-differences.ts'],
    ],
    packages: ['cli-progress', 'commander', 'kysely', 'pino', 'node:*'],
    never: ['src/main.ts', 'src/http/app.ts', 'src/workers/queues.ts', 'src/ledger/lanes.ts', 'fastify', 'pg'],
  },
  {
    name: 'bootstrap',
    files: 'src/bootstrap.ts',
    may: [
      ...['package.json', 'src/config.ts', 'src/part-settings.ts', 'src/log.ts', 'src/database/*', 'src/http/app.ts', 'src/ledger/*', 'src/metrics/*', 'src/replica/*', 'src/tracing/*', 'src/workers/*'],
      'projections/index.ts',
    ],
    packages: ['fastify', 'kysely', 'node:path', 'pg', 'pino', 'typeid-js'],
    never: ['src/main.ts', 'src/cli/run.ts', 'src/http/problem.ts'],
  },
  {
    name: 'settings of the parts',
    files: 'src/part-settings.ts',
    may: ['src/config.ts', 'src/http/app.ts', 'src/ledger/lanes.ts'],
    packages: [],
    never: ['src/bootstrap.ts', 'src/cli/run.ts', 'fastify', 'pg'],
  },
  {
    name: 'config',
    files: 'src/config.ts',
    may: [],
    packages: ['@sinclair/typebox', 'env-schema'],
    never: ['src/log.ts'],
  },
  {
    name: 'log',
    files: 'src/log.ts',
    may: [],
    packages: ['pg', 'pino'],
    never: ['src/config.ts'],
  },
  {
    name: 'doctor',
    files: 'src/doctor/*',
    may: ['src/doctor/*', 'src/domain/ids.ts', 'src/replica/place-in-log.ts', ...['note-files', 'read-standings', 'tables'].map((name) => `src/ledger/${name}.ts`)],
    packages: ['kysely', 'pg', 'node:crypto', 'node:fs/promises', 'node:timers/promises'],
    never: ['src/bootstrap.ts', 'src/config.ts', 'src/database/pool.ts', 'src/ledger/lanes.ts'],
  },
  {
    name: 'metrics',
    files: 'src/metrics/*',
    // It is told what the parts do, and looks up how far the projections are.
    may: [
      ...['src/metrics/*', 'src/http/watch-answers.ts', 'src/ledger/lanes.ts', 'src/ledger/read-standings.ts'],
      ...['src/ledger/system-health.ts', 'src/ledger/tables.ts'],
    ],
    packages: ['kysely', 'prom-client', 'node:events', 'node:http', 'node:net', 'node:timers/promises'],
    never: ['src/bootstrap.ts', 'src/http/app.ts', 'src/workers/worker.ts', 'src/domain/ids.ts', 'pg'],
  },
  {
    name: 'tracing',
    files: 'src/tracing/*',
    // It is told what the parts do, and finds the trace of events that another process has appended.
    may: [
      ...['src/tracing/*', 'src/http/trace-requests.ts', 'src/workers/worker.ts'],
      ...['event-traces', 'lanes', 'ledger-call', 'tables'].map((name) => `src/ledger/${name}.ts`),
    ],
    packages: ['@opentelemetry/*', 'kysely', 'node:crypto'],
    never: ['src/bootstrap.ts', 'src/config.ts', 'src/http/app.ts', 'src/ledger/commit.ts', 'src/domain/ids.ts', 'pg'],
  },
  {
    name: 'client',
    files: 'src/client/*',
    // Its generator asks the server for the document; no part of the program imports the client.
    may: ['src/client/*', 'src/http/app.ts', 'src/http/openapi/build-document.ts', 'src/config.ts'],
    packages: ['openapi-fetch', 'openapi-typescript', 'pino', 'node:fs', 'node:module'],
    never: ['src/bootstrap.ts', 'src/ledger/read.ts', 'src/domain/ids.ts', 'pg'],
  },
  {
    name: 'http',
    files: 'src/http/*',
    may: ['src/http/*', 'src/commands/*', 'src/domain/*', 'projections/*-queries.ts', ...LEDGER_TO_READ],
    packages: [
      ...['@fastify/*', '@sinclair/typebox', 'csv-stringify/sync', 'fastify', 'kysely', 'pino', 'secure-json-parse'],
      ...['ajv', 'ajv-formats', '@scalar/fastify-api-reference', 'hono/html', 'ip-address'],
      ...['node:crypto', 'node:fs', 'node:http', 'node:net', 'node:stream', 'node:timers/promises', 'node:util', 'node:zlib'],
    ],
    never: ['src/bootstrap.ts', 'src/config.ts', 'src/ledger/lanes.ts', 'src/workers/wake.ts', 'pg'],
  },
  {
    name: 'commands',
    files: 'src/commands/*',
    may: ['src/commands/*', 'src/domain/*', 'src/ledger/*'],
    packages: ['pg', 'node:crypto', 'node:timers/promises', 'node:util'],
    never: ['src/http/problem.ts', 'src/workers/wake.ts', 'projections/index.ts', 'src/config.ts', 'kysely'],
  },
  {
    name: 'workers',
    files: 'src/workers/*',
    // pg-boss opens connections of its own.
    may: ['src/workers/*', 'src/database/session-settings.ts', 'src/domain/*', ...LEDGER_TO_READ, 'src/ledger/binary-arrays.ts', 'src/ledger/event-traces.ts', 'src/ledger/expire-answers.ts', 'src/ledger/recent-events.ts', ...PROJECTION_LIST],
    packages: ['kysely', 'pg-boss', 'pino', 'node:timers/promises'],
    never: ['src/ledger/commit.ts', 'src/commands/add-user.ts', 'projections/bulk-user-logs-queries.ts', 'pg'],
  },
  {
    name: 'replica',
    files: 'src/replica/*',
    may: ['src/replica/*', 'src/database/kysely.ts', 'src/database/pool.ts', ...['database-errors', 'read-progress', 'reads', 'tables'].map((name) => `src/ledger/${name}.ts`)],
    packages: ['kysely', 'pg', 'pino', 'node:timers/promises'],
    never: ['src/bootstrap.ts', 'src/config.ts', 'src/http/app.ts', 'src/ledger/lanes.ts', 'src/workers/worker.ts'],
  },
  {
    name: 'database',
    files: 'src/database/*',
    may: ['src/database/*', ...PROJECTION_LIST],
    packages: ['kysely', 'kysely/migration', 'pg', 'node:*'],
    never: ['src/ledger/tables.ts', 'src/domain/ids.ts', 'src/workers/queues.ts', 'src/config.ts'],
  },
  {
    name: 'projections',
    files: 'projections/*',
    // The form of a parameter; nothing of what the ledger holds.
    may: ['projections/*', 'src/domain/*', 'src/ledger/binary-arrays.ts'],
    packages: ['kysely'],
    never: ['src/ledger/read.ts', 'src/workers/project.ts', 'src/database/pool.ts', 'pg', 'node:fs'],
  },
  {
    name: 'ledger',
    files: 'src/ledger/*',
    may: ['src/ledger/*', 'src/domain/*'],
    // The files are those of what must not be in the database: the signing key, and the checkpoints.
    packages: ['kysely', 'pg', 'node:buffer', 'node:crypto', 'node:fs/promises', 'node:path', 'node:timers/promises'],
    never: ['src/commands/run-api-call.ts', 'src/http/problem.ts', 'projections/projection.ts', 'src/database/pool.ts'],
  },
  {
    name: 'domain',
    files: 'src/domain/*',
    may: ['src/domain/*'],
    packages: ['node:zlib'],
    never: ['src/ledger/codec.ts', 'projections/employees.ts', 'src/config.ts', 'kysely', 'node:crypto', 'node:fs'],
  },
  {
    name: 'migrations',
    files: 'migrations/*',
    may: [],
    packages: ['kysely'],
    never: ['src/domain/ids.ts', 'projections/employees.ts', 'migrations/0001-ledger.ts'],
  },
]

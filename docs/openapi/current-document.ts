import { pino } from 'pino'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { createBudget } from '../../src/admission/budget.ts'
import { addApiRoutes, KEY_PROTOCOLS, listProtocols, type ApiServices } from '../../src/api/api-routes.ts'
import { ConfigSchema, LIMITS } from '../../src/config.ts'
import { buildServer, type ServerServices } from '../../src/http/build-server.ts'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'
import { sendProblem } from '../../src/http/server/problem.ts'
import type { LedgerTables } from '../../src/ledger/tables.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { openPool } from '../../src/postgres/pool.ts'

const BODY_LIMIT = ConfigSchema.properties.BODY_LIMIT.default
const MAX_RECORDS = ConfigSchema.properties.MAX_RECORDS.default

/** Builds the OpenAPI document from the current routes with the default settings. */
export async function currentDocument(): Promise<OpenApiDocument> {
  const app = buildServer(SERVER, {
    protocols: listProtocols(KEY_PROTOCOLS),
    bodyTypes: KEY_PROTOCOLS.flatMap(({ bodyTypes }) => bodyTypes),
    maxRecords: MAX_RECORDS,
    refuse: (reply, refusal) => sendProblem(reply.request, reply, refusal),
    addRoutes: (app) => addApiRoutes(app, KEY_PROTOCOLS, standIns()),
  })
  await app.ready()
  const document = JSON.parse(JSON.stringify(app.describeApi())) as OpenApiDocument
  await app.close()
  return document
}

const STREAM_LIMITS = { perUser: 0, perCompany: 0, heartbeatMs: 0, lifeMs: 0 }
const SESSIONS = { idleMinutes: 0, hours: 0, publicUrl: null, port: 0 }

const SERVER: ServerServices = {
  log: pino({ level: 'silent' }),
  isStopping: () => false,
  trustProxy: null,
  requestTimeoutMs: LIMITS.REQUEST_TIMEOUT_MS,
  bodyLimit: BODY_LIMIT,
  heavyReads: LIMITS.HEAVY_READS,
  streamLimits: STREAM_LIMITS,
  sessions: SESSIONS,
}

/** The services of routes that nobody calls. The pool never connects. */
function standIns(): ApiServices {
  const never = (): never => {
    throw new Error('a route was called while the document was built')
  }
  const pool = openPool({ url: 'postgres://localhost', name: 'openapi', max: 1 })
  const db = openDatabase<LedgerTables>(pool)
  const company = { pool, newId: never }
  const commands = {
    lanes: { append: never, idle: never },
    newId: never,
    maxRecords: MAX_RECORDS,
    keepsFailed: false,
    maxWaitMs: 0,
    inProgress: { run: never },
  }
  return {
    db,
    access: db,
    reads: { of: never, optionalMs: 0 },
    commands,
    company,
    webhooks: { ...company, secrets: createSecretBox([]), allowsHttp: false },
    singleDeliveries: { ping: never, redeliver: never },
    uploads: { pool, db, commands, bodyLimit: BODY_LIMIT, announce: never },
    findKey: never,
    findEmployee: never,
    keyUsage: { submit: never },
    requireLogEntry: never,
    areReadModelsComplete: never,
    signIns: { attempt: never, count: never },
    signer: {
      sign: never,
      readLast: never,
      publicKeys: never,
      encodedKeys: { current: null, retired: [] },
      isSigning: false,
      files: { companies: never, last: never, append: never },
    },
    storyteller: { renderRows: never, renderPage: never },
    sessions: SESSIONS,
    bodyLimit: BODY_LIMIT,
    bodyBudget: { bytes: 0, waitMs: 0 },
    fileBudget: createBudget({}),
    burstLimit: 0,
    failureLimit: 0,
    streamLimits: STREAM_LIMITS,
  }
}

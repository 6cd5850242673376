import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import { envSchema } from 'env-schema'

const MIB = 1024 * 1024
/** How many of the largest bodies the budget for bodies holds at least: a key has an eighth of it. */
export const BODIES_WITHIN_BUDGET = 8

/** Bytes of bodies that one process keeps at once, where the settings do not say. */
export function defaultBodyBudget(bodyLimit: number): number {
  return Math.max(64 * MIB, BODIES_WITHIN_BUDGET * bodyLimit)
}
// Timers of Node.js turn what is longer than 24 days into 1 millisecond.
const DAY_MS = 86_400_000
// An IPv4 or IPv6 address, or a network of them.
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])'
const PROXY = `(?:${OCTET}(?:\\.${OCTET}){3}(?:/(?:3[0-2]|[12]?[0-9]))?|(?:[0-9A-Fa-f]*:){2,7}[0-9A-Fa-f.]*(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)`
const POSTGRES_URL = '^postgres(ql)?://'
const HTTP_URL = '^https?://[^/?#]+(/[^?#]*)?$'

/** Every setting of the program, with its meaning and default. The README's table is checked against this. */
export const ConfigSchema = Type.Object({
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: POSTGRES_URL,
      description: 'PostgreSQL 15 or newer to use; unset: the embedded server in DATA_DIR',
    }),
  ),
  MIGRATE_DATABASE_URL: Type.Optional(
    Type.String({
      pattern: POSTGRES_URL,
      description: "the same database as the role that owns its tables; unset: DATABASE_URL's role",
    }),
  ),
  READ_DATABASE_URL: Type.Optional(
    Type.String({
      pattern: POSTGRES_URL,
      description: 'a streaming standby of the database, from which the admin and audit endpoints and pages read; unset: from the primary',
    }),
  ),
  READ_STALENESS_MS: Type.Integer({
    default: 5000,
    minimum: 200,
    maximum: DAY_MS,
    description: 'milliseconds that the standby may be behind; beyond that it is not read',
  }),
  DATA_DIR: Type.String({ default: './data', description: 'folder of the embedded server and of the demo credentials' }),
  SIGNING_KEY: Type.Optional(
    Type.String({ description: 'the Ed25519 key that signs checkpoints, PEM (PKCS#8); wins over SIGNING_KEY_FILE' }),
  ),
  SIGNING_KEY_FILE: Type.Optional(
    Type.String({
      description: 'the file of that key; unset: `signing-key.pem` in DATA_DIR, made for the embedded server',
    }),
  ),
  CHECKPOINT_DIR: Type.Optional(
    Type.String({ description: 'folder, outside the database, of the checkpoints; unset: `checkpoints` in DATA_DIR' }),
  ),
  CHECKPOINT_INTERVAL_MS: Type.Integer({
    default: 60_000,
    minimum: 100,
    maximum: DAY_MS,
    description: 'milliseconds between two checkpoints of a company that changes',
  }),
  HOST: Type.String({ default: '127.0.0.1', description: 'address to listen on' }),
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65_535, description: 'port to listen on; 0: any free one' }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'port of `/metrics` for Prometheus and of `/livez`, without a key; 0: any free one; unset: none',
    }),
  ),
  METRICS_HOST: Type.String({ default: '127.0.0.1', description: 'address to listen on for them' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: HTTP_URL,
      description: 'address of a collector of OpenTelemetry, to which traces are sent (OTLP over HTTP, JSON); unset: no traces',
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({ description: 'headers for it, as `name=value` with commas between; they may hold a secret' }),
  ),
  OTEL_SERVICE_NAME: Type.Optional(Type.String({ description: 'name under which traces show the service; unset: `employee-ledger`' })),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
    Type.String({ description: 'more that traces say of the process, as `name=value` with commas between' }),
  ),
  OTEL_TRACES_SAMPLER: Type.Union(
    [
      Type.Literal('always_on'),
      Type.Literal('always_off'),
      Type.Literal('traceidratio'),
      Type.Literal('parentbased_always_on'),
      Type.Literal('parentbased_always_off'),
      Type.Literal('parentbased_traceidratio'),
    ],
    { default: 'parentbased_always_on', description: 'which calls are traced; `parentbased_…`: the caller decides, where it sends `traceparent`' },
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description: 'share of the calls that a sampler by ratio takes',
  }),
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'least severe level that is logged (JSON lines, standard error)' },
  ),
  MAX_RECORDS: Type.Integer({ default: 1000, minimum: 1, maximum: 10_000, description: 'records that a call may have' }),
  BODY_LIMIT: Type.Integer({ default: 8 * MIB, minimum: 1024, maximum: 64 * MIB, description: 'bytes that the body of a writing call may have' }),
  BODY_BUDGET: Type.Optional(
    Type.Integer({
      minimum: 1024,
      description:
        'bytes of bodies that one process keeps at once, at least 8 times BODY_LIMIT; a company may have a quarter, a key an eighth, and its further calls wait; unset: 8 times BODY_LIMIT, or 64 MiB if that is more',
    }),
  ),
  LANES: Type.Integer({ default: 4, minimum: 1, maximum: 64, description: 'appending transactions side by side in one process, beside the one that small calls share' }),
  RECORDS_PER_COMMIT: Type.Integer({
    default: 500,
    minimum: 1,
    maximum: 10_000,
    description: 'records (or kilobytes, if those are more) that share one commit; a larger call goes alone',
  }),
  CALLS_WAITING: Type.Integer({
    default: 8000,
    minimum: 1,
    description: 'writing calls that one process takes on at once; a company may have a quarter, as many more wait, and the rest get 503',
  }),
  RECORDS_WAITING: Type.Integer({
    default: 50_000,
    minimum: 1,
    description: 'records (or kilobytes, if those are more) of the calls that one process takes on at once; a company may have a quarter, and its further calls wait',
  }),
  CALL_WAIT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: DAY_MS,
    description: 'milliseconds that a call may wait for its turn; then it gets 503',
  }),
  POOL_SIZE: Type.Integer({ default: 10, minimum: 2, maximum: 200, description: 'connections for reading and for changes of companies' }),
  SWEEP_INTERVAL_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: DAY_MS,
    description: 'milliseconds between two sweeps for events that no job told of',
  }),
  BURST_LIMIT: Type.Integer({ default: 100, minimum: 0, description: 'calls of one API key in a second; 0: no limit' }),
  FAILURE_LIMIT: Type.Integer({
    default: 100,
    minimum: 0,
    description: 'failures of one address to prove who it is, in a minute; 0: no limit',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+$',
      description: 'address under which browsers reach the service; with https the cookie of a session is sent by https alone',
    }),
  ),
  TRUST_PROXY: Type.Optional(
    Type.String({
      pattern: `^${PROXY}(?:, *${PROXY})*$`,
      description: 'addresses or networks (`10.0.0.0/8`), with commas between, of the proxies in front whose `X-Forwarded-*` headers are believed',
    }),
  ),
  SESSION_IDLE_MINUTES: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 1440,
    description: 'minutes without a page after which a session ends',
  }),
  SESSION_HOURS: Type.Integer({
    default: 12,
    minimum: 1,
    maximum: 720,
    description: 'hours after which a session ends in any case',
  }),
  SIGN_IN_LIMIT: Type.Integer({
    default: 10,
    minimum: 0,
    description: 'tries to sign in with one e-mail address from one network address in 15 minutes; 0: no limit',
  }),
  ANSWERS_KEPT_HOURS: Type.Integer({
    default: 72,
    minimum: 1,
    maximum: 8760,
    description: 'hours for which the answer to a call with an idempotency key is kept for retries',
  }),
  REJECTED_RECORDS_KEPT_DAYS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 36_500,
    description: 'days for which what refused records said is kept; 0: for ever',
  }),
  STREAMS_PER_USER: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 1000,
    description: 'live streams that a user may have open at once in one process',
  }),
  STREAM_HEARTBEAT_MS: Type.Integer({
    default: 15_000,
    minimum: 100,
    maximum: DAY_MS,
    description: "milliseconds between two signs of life of a stream; each time its user's rights are checked again",
  }),
  STREAM_LIFE_MS: Type.Integer({
    default: 900_000,
    minimum: 1000,
    maximum: DAY_MS,
    description: 'milliseconds after which a stream ends; its client opens the next one and misses nothing',
  }),
  REQUEST_TIMEOUT_MS: Type.Integer({
    default: 60_000,
    minimum: 1000,
    maximum: DAY_MS,
    description: 'milliseconds to receive a request',
  }),
  SHUTDOWN_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 1000,
    maximum: DAY_MS,
    description: 'milliseconds to finish calls when stopping',
  }),
})

export type Config = Readonly<Static<typeof ConfigSchema>>

/** Reads the settings from the environment, once. Throws with one line for each setting that is not valid. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const known = Object.keys(ConfigSchema.properties)
  // A variable that is set to nothing counts as unset, as in most shells' and orchestrators' files.
  const data = Object.fromEntries(known.filter((name) => env[name]).map((name) => [name, env[name]]))
  return Object.freeze(envSchema<Config>({ schema: ConfigSchema, data, env: false }))
}

import { Type, type SchemaOptions, type Static } from '@sinclair/typebox'
import { envSchema } from 'env-schema'
import { trimBlanks } from '#text/normalize-text'

const MIB = 1024 * 1024
// An IPv4 or IPv6 address or network.
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])'
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}(?:/(?:3[0-2]|[12]?[0-9]))?`
const IPV6 = '(?:[0-9A-Fa-f]*:){2,7}[0-9A-Fa-f.]*(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?'
const PROXY = `(?:${IPV4}|${IPV6})`
const PROXIES = `^${PROXY}(?:, *${PROXY})*$`
const POSTGRES_URL = '^postgres(ql)?://'
const HTTP_URL = '^https?://[^/?#]+(/[^?#]*)?$'
const SMTP_URL = '^smtps?://'
const HTTP_ORIGIN = '^https?://[^/?#]+$'

/** What each pattern of a setting asks for, in words that complete "NAME must". */
export const PATTERN_RULES: Readonly<Record<string, string>> = {
  [POSTGRES_URL]: 'start with postgres:// or postgresql://',
  [HTTP_URL]: 'be a URL that starts with http:// or https://',
  [SMTP_URL]: 'start with smtp:// or smtps://',
  [HTTP_ORIGIN]: 'be a URL that starts with http:// or https://, without a path',
  [PROXIES]: 'be IP addresses or networks such as 10.0.0.0/8, separated by commas',
}

const optionalText = (description: string, pattern?: string) =>
  Type.Optional(Type.String({ description, ...(pattern === undefined ? {} : { pattern }) }))

const wholeNumber = (description: string, fallback: number, { from, to }: { from: number; to?: number }) =>
  Type.Integer({ description, default: fallback, minimum: from, ...(to === undefined ? {} : { maximum: to }) })

const oneOf = (values: string[], options: SchemaOptions) =>
  Type.Union(
    values.map((one) => Type.Literal(one)),
    options,
  )

/**
 * Every setting of the program, with its meaning and default. A test checks the table in docs/configuration.md against
 * it.
 */
export const ConfigSchema = Type.Object({
  DATABASE_URL: optionalText(
    'the database to use, PostgreSQL 15 or newer; unset: the embedded server in DATA_DIR',
    POSTGRES_URL,
  ),
  MIGRATE_DATABASE_URL: optionalText(
    'the same database, as the role that owns its tables; unset: the role of DATABASE_URL',
    POSTGRES_URL,
  ),
  DATA_DIR: Type.String({
    default: './data',
    description: 'folder of the embedded server and of the demo credentials',
  }),
  SIGNING_KEY: optionalText(
    'the Ed25519 key that signs checkpoints, PEM (PKCS#8); takes precedence over SIGNING_KEY_FILE',
  ),
  SIGNING_KEY_FILE: optionalText(
    'the file of that key; unset: `signing-key.pem` in DATA_DIR, created for the embedded server',
  ),
  SECRETS_KEY: optionalText(
    'the keys that encrypt stored secrets, 32 bytes in base64 each, separated by commas, the newest first; takes ' +
      'precedence over SECRETS_KEY_FILE',
  ),
  SECRETS_KEY_FILE: optionalText(
    'the file of those keys, one on each line; unset: `secrets-key` in DATA_DIR, created for the embedded server',
  ),
  OUTGOING_PRIVATE: wholeNumber(
    '1: webhooks and identity providers may use http and reach private addresses, for development, but no ' +
      'link-local ones; 0: https and public ones only',
    0,
    { from: 0, to: 1 },
  ),
  CHECKPOINT_DIR: optionalText('folder for the checkpoints, outside the database; unset: `checkpoints` in DATA_DIR'),
  WITNESS_URLS: optionalText(
    'addresses of the witnesses that cosign checkpoints (c2sp.org/tlog-witness), separated by commas; unset: none',
  ),
  WITNESS_KEYS: optionalText('the verifier keys of these witnesses, `name+id+key`, in the same order'),
  WITNESS_QUORUM: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 16,
      description: 'how many of these witnesses must have cosigned a checkpoint that counts as witnessed; unset: all',
    }),
  ),
  HOST: Type.String({ default: '127.0.0.1', description: 'address to listen on' }),
  PORT: wholeNumber('port to listen on; 0: any free port', 3000, { from: 0, to: 65_535 }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'port for `/metrics` (Prometheus) and `/livez`, which need no key; 0: any free port; unset: none',
    }),
  ),
  METRICS_HOST: Type.String({ default: '127.0.0.1', description: 'address to listen on for METRICS_PORT' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText(
    'address of an OpenTelemetry collector that receives traces (OTLP over HTTP, JSON); unset: no traces',
    HTTP_URL,
  ),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    description: 'lowest level that is logged (JSON lines, standard error)',
  }),
  MAX_RECORDS: wholeNumber('maximum number of records in a call', 1000, { from: 1, to: 10_000 }),
  BODY_LIMIT: wholeNumber('maximum size of the body of a writing call, in bytes', 8 * MIB, {
    from: 1024,
    to: 64 * MIB,
  }),
  EMPLOYEE_CACHE: wholeNumber(
    'about how many bytes of employees stay in memory for the next calls of their companies; a company may have ' +
      'a quarter, for a minute after its last call; per process',
    64 * MIB,
    { from: 0 },
  ),
  POOL_SIZE: wholeNumber(
    'connections for reads and for changes of companies; appends, sessions and sign-in have their own; per process',
    16,
    { from: 2, to: 200 },
  ),
  BURST_LIMIT: wholeNumber('calls per second of one API key; 0: no limit; per process', 100, { from: 0 }),
  PUBLIC_URL: optionalText(
    'address at which browsers reach the service, for passkeys, identity providers, and links in email; if it is ' +
      'https, session cookies are sent over https only',
    HTTP_ORIGIN,
  ),
  SMTP_URL: optionalText(
    'the server that sends email, `smtp://USER:PASSWORD@HOST:PORT` (port 587, STARTTLS) or `smtps://…` (port ' +
      '465); requires MAIL_FROM, PUBLIC_URL and a secrets key; unset: no email',
    SMTP_URL,
  ),
  MAIL_FROM: optionalText('the sender of email, an address or `Name <address>`'),
  TRUST_PROXY: optionalText(
    'addresses or networks (`10.0.0.0/8`) of trusted proxies, separated by commas; only their `X-Forwarded-*` ' +
      'headers count',
    PROXIES,
  ),
  STOP_DELAY_SECONDS: wholeNumber(
    'seconds for which an API process that is asked to stop still accepts connections while `/readyz` answers 503: ' +
      'as long as load balancers need to notice',
    0,
    { from: 0, to: 300 },
  ),
  SESSION_IDLE_MINUTES: wholeNumber('minutes without use after which a session ends', 60, { from: 1, to: 1440 }),
  SESSION_HOURS: wholeNumber('hours after which a session ends in any case', 12, { from: 1, to: 720 }),
  ANSWERS_KEPT_HOURS: wholeNumber(
    'hours for which the answer to a call with an idempotency key is kept for retries; no longer than ' +
      'REJECTED_RECORDS_KEPT_DAYS',
    72,
    { from: 1, to: 8760 },
  ),
  REJECTED_RECORDS_KEPT_DAYS: wholeNumber(
    'days for which refused records and bodies, and the names of uploaded files, are kept; 0: forever',
    0,
    { from: 0, to: 36_500 },
  ),
  FAILED_CALLS_KEPT_DAYS: wholeNumber(
    'days for which the valid records of calls that failed are kept, to correct and send such a call whole; no ' +
      'longer than REJECTED_RECORDS_KEPT_DAYS; 0: not at all',
    30,
    { from: 0, to: 365 },
  ),
  ADDRESSES_KEPT_DAYS: wholeNumber(
    'days for which the service keeps the address and the program from which a call or a change was sent, or a ' +
      'user signed in',
    90,
    { from: 1, to: 3650 },
  ),
})

const SAMPLERS = ['always_on', 'always_off', 'traceidratio']

/** OpenTelemetry's variables besides the endpoint. The SDK's packages leave it to the program to read them. */
const TracingSchema = Type.Object({
  OTEL_EXPORTER_OTLP_HEADERS: optionalText(
    'headers for the collector, as `name=value`, separated by commas; they may contain a secret',
  ),
  OTEL_SERVICE_NAME: optionalText('name of the service in traces; unset: `employee-ledger`'),
  OTEL_RESOURCE_ATTRIBUTES: optionalText(
    'more attributes of the process in traces, as `name=value`, separated by commas',
  ),
  OTEL_TRACES_SAMPLER: oneOf([...SAMPLERS, ...SAMPLERS.map((name) => `parentbased_${name}`)], {
    default: 'parentbased_always_on',
    description: 'which calls are traced; `parentbased_…`: the caller decides if it sends `traceparent`',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description: 'share of calls that a ratio sampler traces',
  }),
})

/**
 * Limits, waits, and intervals of a process that nobody has to change in operation. Tests change them, through this one
 * object. Of what all companies share, each company gets at most a quarter.
 */
export const LIMITS = {
  /** Between two checkpoints of a company that changes, in milliseconds. */
  CHECKPOINT_INTERVAL_MS: 60_000,
  /** Bytes of bodies in memory; a key may have an eighth. Null: 8 bodies of BODY_LIMIT, but at least 64 MiB. */
  BODY_BUDGET: null as number | null,
  /** Parallel append transactions, in addition to the one that small calls share. */
  LANES: 4,
  /** Records (or kilobytes, if those are more) that share a commit; a larger call gets its own. */
  RECORDS_PER_COMMIT: 500,
  /** Writing calls taken on at once; of a company, as many more wait, and the rest get 503. */
  CALLS_WAITING: 8_000,
  /** Records (or kilobytes, if those are more) of the calls taken on at once. */
  RECORDS_WAITING: 50_000,
  /** How long a call may wait for its turn, in milliseconds; then it gets 503. */
  CALL_WAIT_MS: 10_000,
  /** Heavy reads of one company at once; fewer than a quarter of POOL_SIZE. */
  HEAVY_READS: 3,
  /** Milliseconds that an answer waits for what it can do without, such as the number of all entries. */
  OPTIONAL_READ_MS: 500,
  /** Between two sweeps for events that no job announced, in milliseconds. */
  SWEEP_INTERVAL_MS: 5_000,
  /** Live streams that a user may have open. */
  STREAMS_PER_USER: 5,
  /** Live streams that all users of a company may have open: each reads by itself what is new. */
  STREAMS_PER_COMPANY: 20,
  /** Between two heartbeats of a live stream, in milliseconds; the user's rights are checked at each one. */
  STREAM_HEARTBEAT_MS: 15_000,
  /** Milliseconds after which a live stream ends; its client reconnects and misses nothing. */
  STREAM_LIFE_MS: 900_000,
  /** Milliseconds to receive a request. */
  REQUEST_TIMEOUT_MS: 60_000,
  /** Failed authentications per minute from one address (IPv6: /64); 0: no limit. */
  FAILURE_LIMIT: 100,
  /**
   * Failed sign-ins, and likewise requests for a new password, in 15 minutes with one email address from one network
   * (IPv6: /48), and ten times as many from anywhere; 0: no limit.
   */
  SIGN_IN_LIMIT: 10,
  /** Both in 15 minutes from one address (IPv6: /64, and ten times as many from a /48); 0: no limit. */
  SIGN_IN_ADDRESS_LIMIT: 50,
  /** Milliseconds to finish calls when stopping. */
  SHUTDOWN_TIMEOUT_MS: 10_000,
}

export type Limits = typeof LIMITS

export type Config = Readonly<Static<typeof ConfigSchema> & Static<typeof TracingSchema> & Limits>

/** Every variable that the program reads. */
export const EnvironmentSchema = Type.Object({ ...ConfigSchema.properties, ...TracingSchema.properties })

/** Reads the environment, once; tests give other limits. Throws an error with one line for each invalid setting. */
export function readConfig(env: NodeJS.ProcessEnv = process.env, limits: Limits = LIMITS): Config {
  // Files of variables leave blanks and carriage returns at the ends, which belong to no setting.
  const trimmed = Object.entries(env).map(([name, value]) => [name, trimBlanks(value ?? '')] as const)
  // An empty variable counts as unset, as in most shells and orchestrators.
  const set = trimmed.filter(([name, value]) => value && Object.hasOwn(EnvironmentSchema.properties, name))
  const settings = envSchema<Static<typeof EnvironmentSchema>>({
    schema: EnvironmentSchema,
    data: Object.fromEntries(set),
    env: false,
  })
  return Object.freeze({ ...settings, ...limits })
}

/** Says which variables are probably settings with a slip of the keyboard in their names, a sentence each. */
export function findMisspelled(env: NodeJS.ProcessEnv = process.env): string[] {
  const settings = Object.keys(EnvironmentSchema.properties).filter((name) => name.length >= SHORTEST_COMPARED)
  return Object.keys(env).flatMap((name) => {
    const meant = settings.find((setting) => isOneSlip(name.toUpperCase(), setting))
    const isKnown = Object.hasOwn(EnvironmentSchema.properties, name) || meant === undefined
    return isKnown ? [] : [`${name} is no setting; is ${meant} meant?`]
  })
}

/** Shorter names are too often those of other programs. */
const SHORTEST_COMPARED = 8

/** Whether two texts are equal but for one character too many, too few, or wrong, or two that are swapped. */
function isOneSlip(one: string, other: string) {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [rest, otherRest] = [one.slice(at), other.slice(at)]
  if (rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2)) return true
  const [next, otherNext] = [rest.slice(1), otherRest.slice(1)]
  return next === otherNext || next === otherRest || rest === otherNext
}

/**
 * Removes PGOPTIONS, PGSSLMODE and the like from the environment: they are for another database, and node-postgres would
 * use them for the embedded one.
 */
export function forgetDatabaseVariables(env: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(env)) if (/^PG[A-Z]/.test(name)) delete env[name]
}

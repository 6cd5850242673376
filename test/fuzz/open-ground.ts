import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Test } from 'tap'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { loggedError } from '../../src/bootstrap/log.ts'
import { launch, makeDataDir, type Running } from '../support/processes/cli.ts'
import { prepareWatchdog } from '../support/processes/watched-process.ts'
import { startService } from '../support/service.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import { anyRawBody } from './any-raw-body.ts'
import { anyRequest } from './any-request.ts'
import { fuzzedRoutes } from './fuzzed-routes.ts'
import { CANARY } from './hostile-text.ts'
import { answerJudge } from './judge-answer.ts'
import { memoryLine } from './memory-line.ts'
import { openRawGround } from './raw-ground.ts'
import type { Ground } from './run-batch.ts'
import { openSender } from './send-request.ts'
import { makeThings } from './world.ts'

interface OpenedGround extends Ground {
  /** Stops the process under test, and returns what is wrong afterwards. */
  end(): Promise<string[]>
}

/** Sockets take most of the time and rarely find anything, so only every tenth batch uses them. */
const PROCESS_EVERY = 10
const LEAKS_SHOWN = 3
const LIMITS_OFF = {
  BURST_LIMIT: '0',
  FAILURE_LIMIT: '0',
  SIGN_IN_LIMIT: '0',
  SIGN_IN_ADDRESS_LIMIT: '0',
  HEAVY_READS: '199',
  STREAMS_PER_USER: '1000',
  STREAMS_PER_COMPANY: '1000',
  STREAM_LIFE_MS: '1000',
  // Passkeys work there.
  PUBLIC_URL: 'http://localhost:3999',
}
const ROOM = { POOL_SIZE: '10', LANES: '4' }

/**
 * Starts the API three times on a database with workers and a company that nobody may touch: at log level trace in
 * this process, reached in memory, and in another one, reached by sockets; and in a third one, for bodies that are cut
 * off.
 */
export async function openGround(t: Pick<Test, 'teardown'>, connections: number): Promise<OpenedGround> {
  const found: string[] = []
  const log = pino({ level: 'trace', base: null, serializers: { err: loggedError } }, leakFinder(found))
  const service = await startService(t, { ...LIMITS_OFF, ...ROOM }, { workers: true, log })
  const { company: bystander, things: theirs } = await makeThings(service, 'Bystander')
  const untouched = await fingerprint(service, bystander.id)
  const watchdog = prepareWatchdog(t)
  const server = launch(t, ['serve'], {
    DATABASE_URL: service.urls.serviceUrl,
    DATA_DIR: makeDataDir(t),
    LOG_LEVEL: 'trace',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ...LIMITS_OFF,
    ...watchdog.variables,
  })
  const address = await server.prints(/listens on (http:\S+)/)
  // Without its start.
  await watchdog.read()
  const [far, near] = [
    openSender(address, connections),
    openSender(service.address, connections, memoryLine(service.app.server)),
  ]
  for (const sender of [far, near]) t.teardown(() => sender.close())
  const raw = await openRawGround(t, service.urls.serviceUrl, LIMITS_OFF)
  const routes = fuzzedRoutes(service.app.registeredRoutes)
  const document = (await service.call('GET', '/openapi.json')).body as OpenApiDocument
  return {
    service,
    theirs,
    raw,
    requests: anyRequest(routes),
    rawRequests: anyRawBody(routes),
    judge: answerJudge(document),
    senderOf: (seed) => (seed % PROCESS_EVERY === 0 ? far : near),
    readLoop: (seed) => (seed % PROCESS_EVERY === 0 ? watchdog.read() : null),
    async end() {
      const faults = [...found.map(leaked), ...(await leftovers(server)), ...(await raw.end())]
      if ((await fingerprint(service, bystander.id)) !== untouched)
        faults.push('the company that nobody may touch has changed')
      return [...faults, ...(await ledgerFaults(service.db, bystander.id))]
    },
  }
}

/** Whether a log line shows what was sent. The request's id does not count, since a client may choose it. */
const leaks = (line: string) => line.includes(CANARY) && line.replace(/"reqId":"[^"]*"/, '').includes(CANARY)

/** Collects a few of the log lines that show what was sent. */
function leakFinder(found: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _, done) {
      if (found.length < LEAKS_SHOWN && leaks(line)) found.push(line)
      done()
    },
  })
}

const leaked = (line: string) => `the log holds what was sent: ${line.slice(0, 500)}`

/** What the process printed, and how it ended. */
async function leftovers(server: Running): Promise<string[]> {
  const wasAlive = server.child.exitCode === null && server.child.signalCode === null
  const { stderr, exitCode } = await server.end('SIGTERM')
  const faults =
    wasAlive && exitCode === 0
      ? []
      : [`the process ended by itself or badly, with ${exitCode}: ${stderr.slice(-2_000)}`]
  const lines = stderr.split('\n').filter(leaks)
  return [...faults, ...lines.slice(0, LEAKS_SHOWN).map(leaked)]
}

/** A fingerprint of a company: its ledger's head and its rows. */
async function fingerprint({ pool }: Ground['service'], companyId: string): Promise<string> {
  const tables = ['companies', 'heads', 'employee_directory', 'api_keys', 'users', 'user_tokens']
  const rows: unknown[] = []
  for (const table of tables)
    rows.push(
      (await pool.query(`select t::text from ${table} t where company_id = $1 order by 1`, [toUuid(companyId)])).rows,
    )
  return JSON.stringify(rows)
}

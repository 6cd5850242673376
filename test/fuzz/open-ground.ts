import type { Test } from 'tap'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { launch, makeDataDir, type Running } from '../support/cli.ts'
import { startService } from '../support/service.ts'
import { ledgerFaults } from '../support/verify-ledger.ts'
import { fuzzedRoutes } from './fuzzed-routes.ts'
import { CANARY } from './hostile-text.ts'
import { answerJudge } from './judge-answer.ts'
import type { Ground } from './run-batch.ts'
import { openSender } from './send-request.ts'
import { makeThings } from './world.ts'

export interface OpenedGround extends Ground {
  /** Ends the process under fire, and tells what is wrong with what it leaves behind. */
  end(): Promise<string[]>
}

const LIMITS_OFF = { BURST_LIMIT: '0', FAILURE_LIMIT: '0', SIGN_IN_LIMIT: '0', STREAMS_PER_USER: '1000', STREAM_LIFE_MS: '1000' }

/** Starts a real process of the API, at its most talkative, on a database with workers and a company that nobody may touch. */
export async function openGround(t: Pick<Test, 'teardown'>, connections: number): Promise<OpenedGround> {
  const service = await startService(t, {}, { workers: true })
  const { company: bystander, things: theirs } = await makeThings(service, 'Bystander')
  const untouched = await fingerprint(service, bystander.id)
  const server = launch(t, ['serve'], { DATABASE_URL: service.urls.serviceUrl, DATA_DIR: makeDataDir(t), LOG_LEVEL: 'trace', ...LIMITS_OFF })
  const address = await server.prints(/listens on (http:\S+)/)
  const sender = openSender(address, connections)
  t.teardown(() => sender.close())
  const document = (await service.call('GET', '/openapi.json')).body as OpenApiDocument
  return {
    ...{ service, sender, theirs, routes: fuzzedRoutes(service.app.registeredRoutes), judge: answerJudge(document) },
    async end() {
      const faults = await leftovers(server)
      if ((await fingerprint(service, bystander.id)) !== untouched) faults.push('the company that nobody may touch has changed')
      return [...faults, ...(await ledgerFaults(service.db, bystander.id))]
    },
  }
}

/** What the process has said, and how it ended. */
async function leftovers(server: Running): Promise<string[]> {
  const wasAlive = server.child.exitCode === null && server.child.signalCode === null
  const { stderr, exitCode } = await server.end('SIGTERM')
  const faults = wasAlive && exitCode === 0 ? [] : [`the process ended by itself or badly, with ${exitCode}: ${stderr.slice(-2_000)}`]
  const lines = stderr.split('\n').filter((line) => line.includes(CANARY))
  return [...faults, ...lines.slice(0, 3).map((line) => `the log holds what was sent: ${line.slice(0, 500)}`)]
}

/** What a company is: its ledger's head and its rows. */
async function fingerprint({ pool }: Ground['service'], companyId: string): Promise<string> {
  const tables = ['companies', 'heads', 'employee_snapshots', 'api_keys', 'users', 'user_tokens']
  const rows: unknown[] = []
  for (const table of tables) rows.push((await pool.query(`select t::text from ${table} t where company_id = $1 order by 1`, [toUuid(companyId)])).rows)
  return JSON.stringify(rows)
}

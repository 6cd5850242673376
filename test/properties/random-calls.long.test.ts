import t from 'tap'
import { addUser } from '../../src/accounts/users/change-user.ts'
import { OPERATION_NAMES, type Operation } from '../../src/domain/operations.ts'
import { issueApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { readEvents } from '../support/ledger/company-events.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import { addressOf, startProcess } from '../support/processes/processes.ts'
import { inputs, isQuick } from '../support/quick.ts'
import { startService, type TestCompany } from '../support/service.ts'
import { compareWithModel, describeListed, describePeople } from './random-calls/compare.ts'
import { KEY_LIMITS } from './random-calls/draw-call.ts'
import { makeCalls, type CalledCompany } from './random-calls/make-calls.ts'
import type { ModelCall } from './random-calls/model.ts'

/*
 * Random calls of several callers at once through two processes, with undos of calls and of undos, links by email
 * address, limits of keys, allowances, and erasures. All but the gate's are made while the processes are killed. The
 * ledger gives their order; in that order, a model that shares no code with the program makes the same calls.
 */

const COMPANIES = inputs(2, 10)
const CALLS = inputs(100, 500)
const CALLERS = 4
/** The calls of the model that make each operation; null if none does. */
const KIND_OF: Readonly<Record<Operation, ModelCall['kind'] | null>> = {
  create: 'create',
  update_one: null,
  update_many: 'update',
  upsert: 'upsert',
  undo: 'undo',
}
const KILLS = inputs(0, 20)
const SEED = Number(process.env['SEED'] ?? 1)

const service = await startService(t)
const sibling = isQuick ? await startService(t, {}, { urls: service.urls }) : null
const start = () => startProcess(t, 'serve', service.urls, { LOG_LEVEL: 'silent' })
const processes = isQuick ? [] : await Promise.all([start(), start()])
const addresses = () => (sibling ? [service.address, sibling.address] : processes.map(addressOf))

/** Adds keys with limits, and a second administrator. */
async function prepare(company: TestCompany): Promise<CalledCompany & { company: TestCompany }> {
  const { pool } = service
  const wanted = { companyId: company.id, quotaLimit: 1_000_000, refreshPeriod: 'monthly' as const }
  const keys: CalledCompany['keys'] = []
  for (const [number, limits] of KEY_LIMITS.entries())
    keys.push(await issueApiKey({ pool, newId }, { ...wanted, name: `Key ${number}`, limits }))
  const second = { companyId: company.id, email: 'second@example.com', name: 'Second', role: 'admin' as const }
  const { token } = await addUser({ pool, newId }, second)
  return { company, keys, tokens: [company.admin.token, token] }
}

/** Kills the processes in turn, each after so many answers, and starts others instead. */
function killWhenever(every: number): { onAnswer: () => void; over: () => Promise<void>; kills: () => number } {
  let answers = 0
  let kills = 0
  let killing: Promise<void> | null = null
  const kill = async () => {
    const at = kills % processes.length
    kills += 1
    await processes[at]!.end('SIGKILL')
    processes[at] = await start()
  }
  const onAnswer = () => {
    answers += 1
    if (isQuick || killing || answers < (kills + 1) * every) return
    killing = kill().finally(() => (killing = null))
  }
  return { onAnswer, kills: () => kills, over: async () => void (await killing) }
}

await t.test(
  'calls, undos, links, and limits do what a model says, whoever calls and whatever is killed',
  async (t) => {
    const companies = await Promise.all(
      Array.from({ length: COMPANIES }, async (_, at) => prepare(await service.makeCompany(`Company ${at}`))),
    )
    const kills = killWhenever(Math.floor((COMPANIES * CALLS) / (KILLS + 1)))
    const all = await Promise.all(
      companies.map((company, at) =>
        makeCalls(company, { addresses, count: CALLS, callers: CALLERS, seed: SEED * 1_000 + at }, kills.onAnswer),
      ),
    )
    await kills.over()
    const seen = new Map<string, number>()
    const made = new Set<Operation>()
    for (const [at, asked] of all.entries()) {
      const { company, keys } = companies[at]!
      t.ok(
        asked.every(({ answer }) => answer !== null),
        'every call is answered in the end',
      )
      const keyIds = keys.map((key) => key.api_id)
      const events = await readEvents(service.db, company.id)
      for (const { type, data } of events) if (type === 'ApiCallCompleted' && data) made.add(data.operation)
      const compared = compareWithModel(events, asked, keyIds)
      t.strictSame(compared.differences, [])
      for (const [name, count] of compared.seen) seen.set(name, (seen.get(name) ?? 0) + count)
      await service.project(company.id)
      const { body } = await service.call('GET', '/v1/employees?limit=200', { key: company.key })
      t.strictSame(describeListed(body.items), describePeople(compared.model))
      t.strictSame(await ledgerFaults(service.db, company.id), [])
    }
    t.comment(
      [...seen]
        .map(([name, count]) => `${name}: ${count}`)
        .toSorted()
        .join('\n'),
    )
    const modelled = OPERATION_NAMES.filter((name) => KIND_OF[name] !== null)
    t.strictSame([...made].toSorted(), modelled.toSorted())
    const completed = modelled.map((name) => `${KIND_OF[name]} completed`)
    for (const kind of [...completed, 'undo partly', 'update limit_reached'])
      t.ok(isQuick || seen.has(kind), `some are: ${kind}`)
    t.ok(isQuick || kills.kills() > 1, `${kills.kills()} processes were killed`)
  },
)

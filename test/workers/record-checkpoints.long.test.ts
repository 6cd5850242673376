import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { createSigner } from '../../src/bootstrap/keys.ts'
import { startWorkers } from '../../src/bootstrap/workers.ts'
import { registerCompany } from '../../src/accounts/companies/companies.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { openSigningKeys } from '../../src/ledger/audit/signing-keys.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { type Checkpoint, parseCheckpoints, signCheckpointNote } from '../../src/ledger/audit/signed-note.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { eventually } from '../support/eventually.ts'
import { lengthenLedger } from '../support/ledger/long-ledger.ts'
import type { Service } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'

const SETTINGS = { CHECKPOINT_INTERVAL_MS: '100' }

const folderOf = ({ config }: Service) => path.join(config.DATA_DIR, 'checkpoints')
const fileOf = (service: Service, id = service.company.id) => path.join(folderOf(service), `${id}.notes`)

function notesIn(file: string): Checkpoint[] {
  try {
    return parseCheckpoints(readFileSync(file, 'utf8')) ?? []
  } catch {
    return []
  }
}

const addEmployee = ({ call }: Service) => call('POST', '/v1/employees', { body: employee() })

async function headOf({ db, company }: Service): Promise<number> {
  const head = await db
    .selectFrom('heads')
    .select('position')
    .where('company_id', '=', toUuid(company.id))
    .executeTakeFirstOrThrow()
  return head.position
}

const recorded = (service: Service, size: number) =>
  eventually(`a note of size ${size}`, async () => notesIn(fileOf(service)).at(-1)?.size === size)

/** The notes of a company have growing sizes, each once. */
function assertGrowing(t: Test, file: string): void {
  const sizes = notesIn(file).map(({ size }) => size)
  t.strictSame(
    sizes,
    [...new Set(sizes)].toSorted((a, b) => a - b),
  )
}

/** Starts workers as in another process, and collects their log. */
async function moreWorkers(t: Test, service: Service): Promise<{ messages: () => string[]; stop(): Promise<void> }> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const store = { ...service, close: async () => undefined }
  const workers = await startWorkers({ config: service.config, urls: service.urls, store, log })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= workers.stop())
  t.teardown(stop)
  return { messages: () => lines.map((line) => JSON.stringify(JSON.parse(line))), stop }
}

await t.test('a company gets another note only when it has changed', async (t) => {
  const service = await startService(t, SETTINGS, { workers: true })
  const quiet = await service.makeCompany('Quiet')
  await recorded(service, await headOf(service))
  await eventually('a note of the quiet company', async () => notesIn(fileOf(service, quiet.id)).length > 0)
  for (let calls = 0; calls < 3; calls += 1) {
    await addEmployee(service)
    await recorded(service, await headOf(service))
  }
  assertGrowing(t, fileOf(service))
  assertGrowing(t, fileOf(service, quiet.id))
})

await t.test('workers store the subtrees of a long ledger over several rounds', async (t) => {
  const service = await startService(t, SETTINGS)
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  // Enough for more than one round.
  await lengthenLedger(service, service.company.id, body.employees[0].id, 70_000)
  const size = await headOf(service)
  await moreWorkers(t, service)
  const company = toUuid(service.company.id)
  await eventually('all smallest subtrees are stored', async () => {
    const { rows } = await service.pool.query<{ count: number }>(
      'select count(*)::integer as count from merkle_subtrees where company_id = $1 and level = 8',
      [company],
    )
    return rows[0]!.count === Math.floor(size / 256)
  })
  t.strictSame(
    notesIn(fileOf(service)).map((note) => note.size),
    [size],
    'one note is enough',
  )
})

await t.test('one process records, and when it stops another takes over', async (t) => {
  const service = await startService(t, SETTINGS)
  const all = [await moreWorkers(t, service), await moreWorkers(t, service), await moreWorkers(t, service)]
  for (const workers of all) {
    await addEmployee(service)
    await recorded(service, await headOf(service))
    await addEmployee(service)
    await recorded(service, await headOf(service))
    await workers.stop()
  }
  assertGrowing(t, fileOf(service))
})

await t.test('a ledger that was rolled back gets no note, but an error in the log', async (t) => {
  const service = await startService(t, SETTINGS)
  const { superUrl } = service.urls
  await addEmployee(service)
  const first = await moreWorkers(t, service)
  const size = await headOf(service)
  await recorded(service, size)
  await first.stop()
  const before = readFileSync(fileOf(service), 'utf8')
  const other = await service.makeCompany('Gone with the restore')
  await (
    await createSigner(service.config)
  ).files.append(other.id, (await (await createSigner(service.config)).sign(service.db, other.id)).note)
  await asSuperuser(
    superUrl,
    `delete from events where company_id = '${toUuid(other.id)}'`,
    `delete from heads where company_id = '${toUuid(other.id)}'`,
  )
  await asSuperuser(
    superUrl,
    `update heads set position = 1, frontier = (select leaf_hash from events
    where company_id = '${toUuid(service.company.id)}' and position = 1) where company_id = '${toUuid(service.company.id)}'`,
  )
  const second = await moreWorkers(t, service)
  const said = (text: string) => second.messages().some((line) => line.includes(text))
  await eventually('the refusal in the log', async () =>
    said(`ends at position 1, but its last external checkpoint is at position ${size}`),
  )
  await eventually('the missing ledger in the log', async () => said(`The ledger of ${other.id} ends at position 0`))
  t.equal(readFileSync(fileOf(service), 'utf8'), before)
})

await t.test('an unusable folder is logged, and notes are written once it is usable', async (t) => {
  const service = await startService(t, SETTINGS)
  writeFileSync(folderOf(service), 'in the way')
  const workers = await moreWorkers(t, service)
  await eventually('the fault in the log', async () =>
    workers.messages().some((line) => /cannot be (read|written)/.test(line)),
  )
  await addEmployee(service)
  await eventually(
    'the projections continue',
    async () => (await service.admin('/bulk-user-logs')).body.items.length === 1,
  )
  rmSync(folderOf(service))
  await recorded(service, await headOf(service))
  t.pass('a note came')
})

await t.test('a restart continues from stored subtrees, and wrong ones do no harm', async (t) => {
  const service = await startService(t, SETTINGS)
  const { body } = await addEmployee(service)
  await lengthenLedger(service, service.company.id, body.employees[0].id, 600)
  const first = await moreWorkers(t, service)
  await recorded(service, await headOf(service))
  await eventually('subtrees are stored', async () => {
    return (await service.pool.query('select from merkle_subtrees')).rowCount === 3
  })
  await first.stop()
  for (const damage of [
    "update merkle_subtrees set hash = sha256('')",
    'delete from merkle_subtrees where level = 9',
  ]) {
    await asSuperuser(service.urls.superUrl, damage)
    const workers = await moreWorkers(t, service)
    await addEmployee(service)
    await recorded(service, await headOf(service))
    await workers.stop()
  }
  t.pass('notes came')
})

await t.test('companies whose ledgers were rolled back keep no others from getting a note', async (t) => {
  const service = await startService(t, SETTINGS)
  const { files } = await createSigner(service.config)
  const { current } = await openSigningKeys({ pem: service.config.SIGNING_KEY, file: '', missing: 'refuse' })
  // More than the faults that end a round.
  const refused = 25
  for (let made = 0; made < refused; made += 1) {
    const companyId = await registerCompany({ pool: service.pool, newId }, `Rolled back ${made}`)
    await files.append(companyId, signCheckpointNote(companyId, { size: 100, root: Buffer.alloc(32) }, current!))
  }
  // Its id is the last one, so it comes after them.
  const sound = await registerCompany({ pool: service.pool, newId }, 'Sound')
  await moreWorkers(t, service)
  await eventually('a note of the sound company', async () => notesIn(fileOf(service, sound)).length > 0)
  await eventually('all refusals are on record', async () => {
    const { rowCount } = await service.pool.query("select from failing_work where work = 'signing'")
    return rowCount === refused
  })
  t.pass('it got one')
})

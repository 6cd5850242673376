import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import type { Verifications } from '../../../src/ledger/audit/verifications.ts'
import { createVerifications } from '../../../src/ledger/audit/verifications.ts'
import type { NoteFiles } from '../../../src/ledger/audit/note-files.ts'
import { createCheckpointSigner } from '../../../src/ledger/audit/sign-checkpoint.ts'
import { lockTables } from '../../support/postgres/lock-tables.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { eventually } from '../../support/eventually.ts'
import { employee, startService } from '../../support/service.ts'

/* Verifications that users start. Two objects stand for two processes. */

const service = await startService(t)
const { company } = service
await service.call('POST', '/v1/employees', { body: Array.from({ length: 600 }, () => employee()) })
const made = await service.call('POST', '/v1/employees', { body: employee() })
const head = Number(made.headers['x-ledger-position'])
const noFiles = { last: async () => null } as unknown as NoteFiles
const unsigned = createCheckpointSigner({ current: null, retired: [] }, noFiles)

function open(maxEvents?: number): Verifications {
  const verifications = createVerifications({
    db: service.db,
    signer: unsigned,
    onError: (error) => t.error(error),
    ...(maxEvents === undefined ? {} : { maxEvents }),
  })
  t.teardown(() => verifications.stop())
  return verifications
}
const [here, there] = [open(), open()]

/** Verifies the ledger and returns the result. */
async function verify(companyId = company.id) {
  t.equal(await here.start(companyId, 'operator'), 'started')
  return resultOf(companyId)
}
const resultOf = (companyId = company.id) =>
  eventually('a verification has ended', async () => {
    const run = await there.read(companyId)
    return run?.verdict ? run : null
  })

await t.test('an untouched ledger is consistent, and every process sees the result', async (t) => {
  t.equal(await there.read(company.id), null)
  t.match(await verify(), {
    startedBy: 'operator',
    position: head,
    size: head,
    verdict: { verdict: 'consistent', events: head, calls: 2, signed_to: 0 },
  })
})

await t.test('a changed, a missing and an unknown event are found, with their positions', async (t) => {
  const at = (position: number) => `company_id = '${toUuid(company.id)}' and position = ${position}`
  const { superUrl } = service.urls
  await asSuperuser(superUrl, `create table kept as select * from events where ${at(300)}`)
  const restore = [`delete from events where ${at(300)}`, 'insert into events select * from kept']
  for (const [statement, verdict] of [
    [`update events set data = replace(data, 'Ana', 'Eve') where ${at(300)}`, { verdict: 'diverged', position: head }],
    [`update events set type = 'Unheard' where ${at(300)}`, { verdict: 'unverifiable' }],
    [`delete from events where ${at(300)}`, { verdict: 'invalid', position: 300 }],
  ] as const) {
    await asSuperuser(superUrl, statement)
    t.match((await verify()).verdict, verdict, statement)
    await asSuperuser(superUrl, ...restore)
  }
  t.match((await verify()).verdict, { verdict: 'consistent' })
})

await t.test('a company has one verification at a time, which any process can cancel', async (t) => {
  const release = await lockTables(service, 'events')
  const started = await Promise.all([here, there, here].map((one) => one.start(company.id, 'operator')))
  t.strictSame(started.toSorted(), ['running', 'running', 'started'])
  t.match(await there.read(company.id), { verdict: null, position: 0, size: head })
  await there.cancel(company.id)
  t.match(await resultOf(), { verdict: { verdict: 'canceled' } })
  await release()
  await eventually(
    'it has stopped',
    async () =>
      (await here.start(company.id, 'operator')) === 'started' ||
      (await there.start(company.id, 'operator')) === 'started',
  )
  t.match(await resultOf(), { verdict: { verdict: 'consistent' } }, 'and another one can start')
})

await t.test("the next company's verification waits for its turn, and can be canceled meanwhile", async (t) => {
  const other = await service.makeCompany('Other')
  const release = await lockTables(service, 'events')
  const one = open()
  t.equal(await one.start(company.id, 'operator'), 'started')
  t.equal(await one.start(other.id, 'operator'), 'started')
  await one.cancel(other.id)
  await eventually('it has ended', async () => (await one.start(other.id, 'operator')) === 'started')
  await release()
  t.match(await resultOf(), { verdict: { verdict: 'consistent' } })
  t.match(await resultOf(other.id), { verdict: { verdict: 'consistent' } })
})

await t.test('a verification ends with its process, and one that died can be started again', async (t) => {
  const release = await lockTables(service, 'events')
  const one = open()
  t.equal(await one.start(company.id, 'operator'), 'started')
  const stopped = one.stop()
  t.match(await resultOf(), { verdict: { verdict: 'interrupted' } })
  await release()
  await stopped
  t.equal(await one.start(company.id, 'operator'), 'busy', 'a stopping process starts none')

  await asSuperuser(
    service.urls.superUrl,
    `update ledger_verifications set verdict = null, seen_at = now() - interval '15 seconds'`,
  )
  t.equal(await here.start(company.id, 'operator'), 'running')
  await asSuperuser(service.urls.superUrl, `update ledger_verifications set seen_at = now() - interval '31 seconds'`)
  t.match(await here.read(company.id), { verdict: { verdict: 'interrupted' } })
  t.match((await verify()).verdict, { verdict: 'consistent' })
})

await t.test('a ledger that is too large for this is refused', async (t) => {
  t.equal(await open(head).start(company.id, 'operator'), 'started')
  await resultOf()
  t.equal(await open(head - 1).start(company.id, 'operator'), 'too-large')
})

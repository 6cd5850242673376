import type { Test } from 'tap'
import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { appendLeaves, EMPTY_FRONTIER, rootOf } from '../../../src/ledger/integrity/merkle.ts'
import { readHead } from '../../../src/ledger/read/read-head.ts'
import { shown, verifyHere } from '../../support/ledger/both-verifiers.ts'
import { ERASE } from '../../support/ledger/event-row.ts'
import { exportLines } from '../../support/ledger/export-lines.ts'
import { appendRefusalsAt, openOldLedger } from '../../support/ledger/old-refusals.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { employee, startService } from '../../support/service.ts'

/* Envelopes are derived from the columns: a row returns exactly what was hashed, and any change of it is found. */

const service = await startService(t)
const { db, company } = service
const uuid = toUuid(company.id)

const made = await service.call('POST', '/v1/employees', { body: [employee(), employee(), employee()] })
const [ana, bob, gone] = made.body.employees.map(({ id }: { id: string }) => id)
await service.call('PATCH', '/v1/employees', { body: [ana, bob].map((id) => ({ id, job_title: 'Dev "\\" é' })) })
await service.call('PATCH', `/v1/employees/${gone}`, { body: { job_title: 'Gone \\ "é"' } })
await service.manage('POST', '/erasures', { employee_id: gone })
const { body: checkpoint } = await service.audit('/checkpoint')

/** The checks that find a change: of rows, export, or leaves. */
async function findChange(): Promise<string[]> {
  const found: string[] = []
  const faults = await ledgerFaults(db, company.id).catch((error: Error) => [error.message])
  if (faults.length > 0) found.push('rows')
  const verdict = await exportLines(db, company.id).then(
    (lines) =>
      verifyHere({
        bytes: Buffer.from(lines.join('')),
        checkpoints: Buffer.from(checkpoint.note),
        publicKey: checkpoint.public_key,
      }).then((verdict) => shown(verdict).verdict),
    () => 'cut off',
  )
  if (verdict !== 'consistent') found.push('export')
  const leaves = await db
    .selectFrom('events')
    .select('leaf_hash')
    .where('company_id', '=', uuid)
    .orderBy('position')
    .execute()
  const root = rootOf(
    appendLeaves(
      EMPTY_FRONTIER,
      leaves.map((row) => row.leaf_hash),
    ),
  )
  if (!root.equals(rootOf((await readHead(db, company.id)).frontier))) found.push('leaves')
  return found
}

/** Changes rows as a superuser, runs the checks, and restores the rows. */
async function findTampering(t: Test, name: string, ...statements: string[]): Promise<string[]> {
  const changed = await db.selectFrom('events').selectAll().execute()
  await asSuperuser(service.urls.superUrl, ...statements)
  t.strictNotSame(await db.selectFrom('events').selectAll().execute(), changed, `${name} is changed`)
  const found = await findChange()
  await asSuperuser(service.urls.superUrl, 'truncate events', 'insert into events select * from kept')
  return found
}

await asSuperuser(
  service.urls.superUrl,
  'create table kept as select * from events',
  // These would refuse some of the changes.
  'alter table events drop constraint events_pkey',
  'drop index events_by_stream',
)
const rows = await db.selectFrom('events').selectAll().where('company_id', '=', uuid).orderBy('position').execute()
// From where a request was sent is deleted with time, so the ledger does not prove it.
const COLUMNS = Object.keys(rows[0]!)
  .filter((column) => column !== 'client_id')
  .toSorted()
const positionOf = (type: string) => rows.findLast((row) => row.type === type && row.data !== null)!.position
const updated = positionOf('EmployeeUpdated')
const invited = positionOf('UserInvited')
const [erased, alsoErased] = rows.filter(({ data }) => data === null).map(({ position }) => position)
const at = (position: number) => `company_id = '${uuid}' and position = ${position}`

await t.test('stored rows return what was hashed, whatever the time and the data', async (t) => {
  t.ok(erased && alsoErased)
  t.strictSame(await findChange(), [])
  for (const fraction of ['000', '001', '010', '100', '120', '999']) {
    const time = `2026-01-01T00:00:00.${fraction}Z`
    const companyId = await openOldLedger(service, time)
    await appendRefusalsAt(service, companyId, time, 2)
    t.strictSame(await ledgerFaults(db, companyId), [], time)
    t.match((await exportLines(db, companyId))[0], `\\"recorded_at\\":\\"${time}\\"`)
  }
  await asSuperuser(service.urls.superUrl, 'truncate kept', 'insert into kept select * from events')
})

const changeable =
  CITUS_URL === undefined ? {} : { skip: 'Citus refuses to change the company, and volatile functions in an UPDATE' }

await t.test('a change of any column is found', changeable, async (t) => {
  const changes: Record<string, string[]> = {
    company_id: ['gen_random_uuid()'],
    position: ['1000000'],
    recorded_at: [`recorded_at + interval '1 ms'`, `recorded_at - interval '1 ms'`],
    stream_id: ['gen_random_uuid()', `'${toUuid(ana)}'`],
    call_id: ['gen_random_uuid()', 'null'],
    stream_version: ['stream_version + 1'],
    record_index: ['record_index + 1', 'null'],
    schema_version: ['2'],
    type: [`'EmployeeDeactivated'`, `'UserInvited'`, `'NobodyKnows'`],
    actor: [`'operator'`, `actor || '","actor":"x'`],
    salt: [`decode(repeat('00', 16), 'hex')`],
    data: [`replace(data, 'Dev', 'Lead')`, `data || ' '`],
    leaf_hash: [`sha256('')`],
    data_hash: [`sha256('')`],
  }
  t.strictSame(Object.keys(changes).toSorted(), COLUMNS)
  for (const [column, values] of Object.entries(changes)) {
    const place = at(column === 'data_hash' ? erased! : updated)
    for (const value of values) {
      const found = await findTampering(t, column, `update events set ${column} = ${value} where ${place}`)
      t.ok(found.includes('rows'), `${column} = ${value}: ${found.join()}`)
      t.ok(found.includes('export') || found.includes('leaves'), `${column} = ${value}: ${found.join()}`)
    }
  }
  for (const change of [ERASE, `${ERASE}, leaf_hash = sha256('')`])
    t.ok((await findTampering(t, 'data', `update events set ${change} where ${at(updated)}`)).includes('rows'), change)
  const revived = `data = '{}', salt = decode(repeat('00', 16), 'hex'), data_hash = null`
  const found = await findTampering(t, 'data', `update events set ${revived} where ${at(erased!)}`)
  t.strictSame(found, ['rows', 'export'])
})

await t.test('swapping two values of any column is found', async (t) => {
  const valueOf = (position: number, column: string) =>
    (rows[position - 1] as unknown as Record<string, unknown>)[column]
  for (const column of COLUMNS) {
    const [one, other] = column === 'data_hash' ? [erased!, alsoErased!] : [updated, invited]
    if (['company_id', 'schema_version'].includes(column)) {
      t.strictSame(valueOf(one, column), valueOf(other, column), `every row has the same ${column}`)
      continue
    }
    const found = await findTampering(
      t,
      column,
      `update events e set ${column} = o.${column} from kept o
       where e.company_id = o.company_id and (e.position, o.position) in ((${one}, ${other}), (${other}, ${one}))
         and e.company_id = '${uuid}'`,
    )
    t.ok(found.includes('rows'), `${column}: ${found.join()}`)
    t.ok(found.includes('export') || found.includes('leaves'), `${column}: ${found.join()}`)
  }
})

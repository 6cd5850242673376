import t from 'tap'
import { newId } from '../../../src/ledger/new-id.ts'
import { registerCompany } from '../../../src/accounts/companies/companies.ts'
import { retireRecords } from '../../../src/workers/retire-records.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import type { CommitLoss, DatabaseLine } from '../../support/lines/database-line.ts'
import { openDatabaseLines } from '../../support/lines/database-line.ts'
import type { Answer } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'
import { runSql } from '../../support/postgres/run-sql.ts'
import { createTestDatabase } from '../../support/postgres/test-database.ts'
import { testServerUrls } from '../../support/postgres/test-server.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'

/* If a COMMIT or its answer is lost, the client still learns whether the change happened. */

const urls = await createTestDatabase(t)
// One to the server, or to each machine of a cluster, which the service finds by its catalog.
const { machines } = testServerUrls()
const lines = await openDatabaseLines(
  t,
  machines.map((machine) => () => Number(new URL(machine).port)),
)
const [line] = lines as [DatabaseLine]
for (const [at, machine] of machines.entries()) {
  if (at === 0) continue
  const { port } = new URL(lines[at]!.through(machine))
  await runSql(urls.superUrl, `update pg_dist_node set nodeport = ${port} where nodeport = ${new URL(machine).port}`)
}
const service = await startService(t, {}, { urls: { ...urls, serviceUrl: line.through(urls.serviceUrl) } })

const DONE: CommitLoss = 'swallow the answer to COMMIT'
const NOT_DONE: CommitLoss = 'swallow COMMIT'
const UNAVAILABLE = { status: 503, body: { code: 'unavailable' } }

/** Makes the records of today old enough to retire. */
const IN_A_DAY = -1

/** Sends a request whose COMMIT is lost in this way. */
async function losing(loss: CommitLoss, request: () => Promise<Answer>): Promise<Answer> {
  const before = line.losses()
  line.loseNext(loss)
  const answer = await request()
  t.equal(line.losses(), before + 1, 'a COMMIT was lost')
  return answer
}

await t.test('a committed rotation returns its secret, and a lost one changes nothing', async (t) => {
  const { id, api_key: old } = (await service.manage('POST', '/api-keys', { name: 'Rotated' })).body
  const works = async (secret: string) =>
    (await service.call('GET', '/v1/auth/verify', { key: { api_id: id, api_key: secret } })).status === 200
  const rotate = () => service.manage('POST', `/api-keys/${id}/rotate`, { overlap_seconds: 0 })
  t.match(await losing(NOT_DONE, rotate), UNAVAILABLE)
  t.equal(await works(old), true)
  t.equal((await streamOf(service, id)).length, 1)

  const answer = await losing(DONE, rotate)
  t.equal(answer.status, 200)
  t.strictSame([await works(old), await works(answer.body.api_key)], [false, true])
  const [, rotated, ...more] = await streamOf(service, id)
  t.match(answer.headers, { 'x-ledger-position': String(rotated!.position) })
  t.strictSame(more, [], 'it was rotated once')
})

await t.test('a committed invitation returns its token, and a lost one can be repeated', async (t) => {
  const invite = () => service.manage('POST', '/users', { email: 'bo@example.com', name: 'Bo', role: 'member' })
  t.match(await losing(NOT_DONE, invite), UNAVAILABLE)
  const { status, body } = await losing(DONE, invite)
  t.equal(status, 201)
  const accept = { token: body.invitation.token, password: 'correct horse battery' }
  t.match(await losing(DONE, () => service.manage('POST', '/invitations/accept', accept, null)), {
    status: 200,
    body: { status: 'active' },
  })
  t.strictSame(
    (await streamOf(service, body.id)).map(({ type }) => type),
    ['UserInvited', 'UserPasswordSet'],
  )
})

await t.test('a committed erasure says what it erased, and a lost one erases nothing', async (t) => {
  const { id } = (await service.call('POST', '/v1/employees', { body: employee() })).body.employees[0]
  const erase = () => service.manage('POST', '/erasures', { employee_id: id })
  t.match(await losing(NOT_DONE, erase), UNAVAILABLE)
  t.equal((await service.call('GET', `/v1/employees/${id}`)).status, 200)
  t.match(await losing(DONE, erase), { status: 200, body: { erased: { employee_id: id, positions: 1 } } })
  t.match(await erase(), { status: 404, body: { code: 'employee_not_found' } })
})

await t.test('a company is registered completely or not at all', async (t) => {
  const named = async (name: string) =>
    (await service.pool.query('select 1 from companies where name = $1', [name])).rowCount
  line.loseNext(NOT_DONE)
  await t.rejects(registerCompany({ pool: service.pool, newId }, 'Lost'), { name: 'UnavailableError' })
  t.equal(await named('Lost'), 0)
  line.loseNext(DONE)
  const companyId = await registerCompany({ pool: service.pool, newId }, 'Registered')
  t.equal(await named('Registered'), 1)
  t.equal((await streamOf(service, companyId, companyId)).length, 1)
})

await t.test('a committed retirement counts its records', async (t) => {
  await service.call('POST', '/v1/employees', { body: { email: 'refused@example.com' } })
  line.loseNext(DONE)
  t.equal(await retireRecords(service.pool, IN_A_DAY), 1)
})

await t.test('the ledger is valid', async (t) => {
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

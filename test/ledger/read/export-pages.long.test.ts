import { readFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { exportFrom } from '../../../src/cli/audit/audit-export.ts'
import { createSigner } from '../../../src/bootstrap/keys.ts'
import { exportPages } from '../../../src/ledger/read/export-pages.ts'
import { readHead } from '../../../src/ledger/read/read-head.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import type { Case } from '../../support/ledger/both-verifiers.ts'
import { hasPython, shown, verifyHere, verifyInPython } from '../../support/ledger/both-verifiers.ts'
import { countConnects } from '../../support/postgres/counted-connects.ts'
import { meddledDatabase } from '../../support/postgres/meddled-database.ts'
import type { Service } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'

/* Data is erased during an export, both in pages that were already read and in pages that follow. */

const CONSISTENT = { verdict: 'consistent', position: null }

/** Creates a person with events at both ends of the ledger, and other people between. */
async function createAround({ call }: Service, others: unknown[][]): Promise<string> {
  const made = await call('POST', '/v1/employees', { body: employee() })
  const { id } = made.body.employees[0]
  for (const body of others) await call('POST', '/v1/employees', { body })
  await call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Dev' } })
  return id
}

const few = () => [Array.from({ length: 9 }, () => employee())]
const erase = (service: Service, id: string) => service.manage('POST', '/erasures', { employee_id: id })

async function allOf<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const all: Page[] = []
  for await (const page of pages) all.push(page)
  return all
}

async function assertVerified(t: Test, bytes: Buffer, checkpoints: Buffer | null, service: Service): Promise<void> {
  const publicKey = (await createSigner(service.config)).publicKeys(service.company.id).current!
  const one: Case = { bytes, checkpoints, publicKey }
  const verdict = await verifyHere(one)
  t.strictSame(shown(verdict), CONSISTENT, JSON.stringify(verdict))
  t.match(verdict, { erased: 1, kept: 1 })
  if (hasPython()) t.strictSame(await verifyInPython([one]), [CONSISTENT])
}

await t.test('an export continues past an erasure during it, and its checkpoint covers the last line', async (t) => {
  const service = await startService(t)
  const id = await createAround(service, few())
  const { position: before } = await readHead(service.db, service.company.id)
  let answers = 0
  const db = meddledDatabase(service.db, async () => {
    answers += 1
    if (answers !== 8) return
    t.equal((await erase(service, id)).status, 200)
    // The export also includes what follows the erasure, up to the signed head.
    await service.call('POST', '/v1/employees', { body: employee() })
  })
  const out = path.join(t.testdir(), 'a.ndjson')
  const said = await exportFrom(
    { config: service.config, store: { db } },
    { company: service.company.id, out, after: 0, pageEvents: 2 },
  )
  const { position: end } = await readHead(service.db, service.company.id)
  t.equal(end, before + 3)
  t.match(said, `events 1 to ${end} of`)
  const [bytes, checkpoint] = [readFileSync(out), readFileSync(`${out}.checkpoint`)]
  t.equal(bytes.toString().split('\n').length - 1, end)
  t.equal(checkpoint.toString().split('\n')[1], String(end))
  await assertVerified(t, bytes, checkpoint, service)
})

await t.test('endless erasures end an export with an error that says so', async (t) => {
  const service = await startService(t)
  await service.call('POST', '/v1/employees', { body: few().flat() })
  const erased = async () => {
    const { body } = await service.call('POST', '/v1/employees', { body: employee() })
    await erase(service, body.employees[0].id)
  }
  const { position: upTo } = await readHead(service.db, service.company.id)
  const exported = exportPages(meddledDatabase(service.db, erased), service.company.id, {
    after: 0,
    upTo,
    maxRounds: 3,
  })
  await t.rejects(allOf(exported), {
    name: 'ExportOvertakenError',
    message: /was erased 3 times during the export/,
  })
})

await t.test('a missing event ends an export with an error that names it', async (t) => {
  const service = await startService(t)
  await service.call('POST', '/v1/employees', { body: few().flat() })
  const { position: upTo } = await readHead(service.db, service.company.id)
  for (const missing of [upTo, 3]) {
    await asSuperuser(service.urls.superUrl, `delete from events where position = ${missing}`)
    const exported = exportPages(service.db, service.company.id, { after: 0, upTo, pageEvents: 2 })
    await t.rejects(allOf(exported), {
      message: `the event at position ${missing} of ${service.company.id} is missing`,
    })
  }
})

/** An employee of about 30 kB. */
const large = () =>
  employee({
    custom_attributes: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`a${at}`, 'x'.repeat(1_000)])),
  })

await t.test('an export by HTTP also includes an erasure during it', async (t) => {
  // Both are heavy reads of one company.
  const service = await startService(t, { POOL_SIZE: '16' })
  const id = await createAround(
    service,
    Array.from({ length: 4 }, () => Array.from({ length: 200 }, large)),
  )
  const { position: before } = await readHead(service.db, service.company.id)
  const queries = countConnects(service.pool)
  const headers = { authorization: `Bearer ${service.company.auditor.token}` }
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http
      .get(`${service.address}/audit/v1/events?format=proof`, { headers, agent: false }, resolve)
      .once('error', reject)
  })
  response.pause()
  await queries.end()
  t.equal((await erase(service, id)).status, 200)
  const bytes = await buffer(response)
  t.equal(bytes.toString().split('\n').length - 1, before + 1)
  await assertVerified(t, bytes, null, service)
})

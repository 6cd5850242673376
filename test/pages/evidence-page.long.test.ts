import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { createConfiguredSecretBox } from '../../src/bootstrap/keys.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { placeOfEvidenceKey, readStoredFile, requestFile } from '../../src/ledger/evidence/stored-files.ts'
import { eventually } from '../support/eventually.ts'
import { downloadEvidence, makeHistory, runVerifier, unpack, writeFiles } from '../support/ledger/evidence.ts'
import { lengthenLedger } from '../support/ledger/long-ledger.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t, {}, { workers: true })
const { company } = service
const PATH = '/settings/ledger/evidence'
const auditor = await cookieOf(service, company.auditor)
const ana = await makeHistory(service, 'Ana')
const open = (path: string, form?: Record<string, string>) => browse(service, path, { cookie: auditor, form })
const download = async (path: string) => {
  const answer = await fetch(service.address + path, { headers: { cookie: auditor } })
  return { status: answer.status, archive: Buffer.from(await answer.arrayBuffer()) }
}

await t.test('a file with few events is offered at once, and is that of the audit endpoint', async (t) => {
  const page = await open(`${PATH}?employee=${ana.id}`)
  t.equal(page.status, 200)
  t.match(page.text, `href="${PATH}/file?employee=${ana.id}"`)
  t.match(page.text, /has <strong>8<\/strong> of the\s+\d+ events of the ledger/)
  const { archive } = await download(`${PATH}/file?employee=${ana.id}`)
  const [made, ofEndpoint] = [
    await unpack(archive),
    await unpack(await downloadEvidence(service, `employee=${ana.id}`)),
  ]
  t.equal(made['events.ndjson'], ofEndpoint['events.ndjson'])
  t.match(runVerifier(writeFiles(t.testdirName, made)), { status: 0 })
})

await t.test('an employee is chosen by name, and a call by the address of its entry', async (t) => {
  await service.call('POST', '/v1/employees', { body: [employee({ last_name: 'Chosen' })] })
  const { body } = await service.call('POST', '/v1/employees', {
    body: [employee({ first_name: 'Twin' }), employee({ first_name: 'Twin' })],
  })
  await service.project()
  const { location } = await open(`${PATH}?employee=chosen&call=&from=&to=`)
  t.match(location, /employee=emp_\w+$/)
  t.match((await open(location!)).text, /The file about \u2068\w+ Chosen\u2069 \(emp_\w+\) has/)
  const twins = (await open(`${PATH}?employee=twin`)).text
  for (const { id } of body.employees) t.match(twins, `href="${PATH}?employee=${id}"`)
  const address = `https://hr.example.com/settings/bulk-user-logs/${body.log_id}`
  t.match((await open(`${PATH}?call=${encodeURIComponent(address)}`)).text, `call ${body.log_id} has`)
})

await t.test('what is wrong with the form is said at its fields', async (t) => {
  const wrong = await open(`${PATH}?call=x&from=tomorrow`)
  t.equal(wrong.status, 422)
  t.match(wrong.text, /must be the ID of an entry, or its address/)
  t.match(wrong.text, /must be a date/)
  t.match((await open(`${PATH}?employee=&call=&from=&to=`)).text, 'Choose what the file is about')
  t.match((await open(`${PATH}?employee=Nobody`)).text, 'Employee names nobody')
  const unknown = await open(`${PATH}?call=log_${ana.id.slice(4)}`)
  t.equal(unknown.status, 404)
  t.match(unknown.text, /No call has this id/)
})

await t.test('a file with many events is made by a job, and kept until data are erased', async (t) => {
  await lengthenLedger(service, company.id, ana.id, 12_000)
  const page = await open(`${PATH}?from=2020-01-01`)
  t.match(page.text, /<form method="post" action="\/settings\/ledger\/evidence"/)
  t.equal((await open(PATH, { from: '2020-01-01' })).location, PATH)
  await eventually('the file is made', async () => (await open(PATH)).text.includes(`href="${PATH}/stored"`))
  const { status, archive } = await download(`${PATH}/stored`)
  t.equal(status, 200)
  const files = await unpack(archive)
  const verified = runVerifier(writeFiles(t.testdirName, files))
  t.match(verified, { status: 0, told: /^12,\d{3} of 12,\d{3} events are in the ledger of Acme at 12,\d{3} events/ })
  t.match(files['READ-ME.html'], 'These are the first 10,000 events')
  const other = await service.makeCompany('Other')
  const theirs = await fetch(`${service.address}${PATH}/stored`, {
    headers: { cookie: await cookieOf(service, other.auditor) },
  })
  t.equal(theirs.status, 404)
  t.equal((await service.manage('POST', '/erasures', { employee_id: ana.id })).status, 200)
  t.equal((await download(`${PATH}/stored`)).status, 404)
  const { rowCount } = await service.pool.query('select from evidence_files where company_id = $1', [
    toUuid(company.id),
  ])
  t.equal(rowCount, 0)
})

await t.test('workers take over a file from a process that was killed, without being asked again', async (t) => {
  const other = await service.makeCompany('Killed')
  const request = {
    requestId: randomUUID(),
    subject: { kind: 'period', from: null, to: null } as const,
    requestedBy: other.auditor.user_id,
  }
  const secrets = await createConfiguredSecretBox(service.config)
  const sealedKey = secrets.encrypt(randomBytes(32), placeOfEvidenceKey(request.requestId))
  // The process claimed it in the same moment, so that no worker could.
  await service.db.transaction().execute(async (transaction) => {
    t.equal(await requestFile(transaction, other.id, { ...request, sealedKey }), true)
    await transaction
      .updateTable('evidence_files')
      .set({ state: 'making', attempts: 1, leased_until: sql`statement_timestamp() + interval '1 second'` })
      .where('company_id', '=', toUuid(other.id))
      .execute()
  })
  await eventually('it is made', async () => (await readStoredFile(service.db, other.id))?.state === 'done')
  const { rows } = await service.pool.query('select attempts from evidence_files where company_id = $1', [
    toUuid(other.id),
  ])
  t.strictSame(rows, [{ attempts: 2 }])
})

import path from 'node:path'
import t from 'tap'
import { hasPython } from '../../support/ledger/both-verifiers.ts'
import { downloadEvidence, runVerifier, unpack, writeFiles } from '../../support/ledger/evidence.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { itemsOf, report } from '../../support/personal-data.ts'
import { employee, startService } from '../../support/service.ts'

/* What administrators and auditors can do with a call that applied some of its records and refused others. */

const service = await startService(t)
const folder = t.testdir({})

const send = async (method: 'POST' | 'PATCH', body: object[], headers: Record<string, string> = {}) => {
  const answer = await service.call(method, '/v1/employees?all_or_none=false', { body, headers })
  t.equal(answer.status, 200)
  return answer.body as { log_id: string; counts: object; results: { id: string; result: string }[] }
}

await t.test(
  'evidence of a partial call verifies, also about an employee whose record it refused',
  { skip: !hasPython() && 'there is no python3 here' },
  async (t) => {
    const [ana, ben] = (await send('POST', [employee(), employee()])).results
    const { log_id: logId } = await send('PATCH', [
      { id: ana!.id, job_title: 'Dev' },
      { id: ben!.id, phone: 'x' },
    ])
    const typesOf = async (query: string) => {
      const files = await unpack(await downloadEvidence(service, query))
      const verdict = runVerifier(writeFiles(path.join(folder, query), files))
      t.match(verdict, { status: 0 }, verdict.told)
      const lines = files['events.ndjson']!.split('\n').slice(0, -1)
      return lines.map((line) => JSON.parse(JSON.parse(line).envelope).type as string)
    }
    t.strictSame(await typesOf(`call=${logId}`), ['EmployeeUpdated', 'EmployeeRecordRejected', 'ApiCallCompleted'])
    t.strictSame((await typesOf(`employee=${ben!.id}`)).slice(-2), ['EmployeeRecordRejected', 'ApiCallCompleted'])
  },
)

await t.test(
  'a person who stands only in a refused record is reported and erased, the stored answer too',
  async (t) => {
    const gone = employee({ first_name: 'Xanthippe', phone: 'x' })
    const headers = { 'idempotency-key': 'partly-erased' }
    const body = [employee(), gone]
    const { log_id: logId } = await send('POST', body, headers)
    const told = await report(service, { email: gone['email'] as string })
    t.match(itemsOf(told, 'calls'), [{ log_id: logId, outcome: 'completed', named_in: 'a refused record' }])
    t.match(JSON.stringify(told), 'Xanthippe')

    const erased = await service.manage('POST', '/erasures', { email: gone['email'] })
    t.match(erased, { status: 200, body: { erased: { employee_id: null, positions: 1 } } })
    const { entry, records } = await service.logOf(logId)
    t.match(entry, { status: 'Completed', counts: { total: 2, failed: 1 } })
    t.match(records, [
      { index: 0, attributes: { email: body[0]!['email'] }, erased: false },
      { index: 1, record: null, errors: null, erased: true },
    ])
    const found = await service.admin(`/bulk-user-logs?q=${encodeURIComponent(gone['email'] as string)}`)
    t.strictSame(found.body.items, [])
    const again = await service.call('POST', '/v1/employees?all_or_none=false', { body, headers })
    t.match(again, { status: 409, body: { code: 'idempotency_response_expired', log_id: logId } })
    t.strictSame(await ledgerFaults(service.db, service.company.id), [])
  },
)

await t.test('the entry of a call that could have applied less has the status of its answer', async (t) => {
  const { log_id: logId } = await send('POST', [employee()])
  await service.project()
  const { body } = await service.manage('GET', `/bulk-user-logs/${logId}`)
  t.match(body, { operation: 'create', http_status: 200, counts: { total: 1, failed: 0 } })
})

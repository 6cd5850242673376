import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { isCaughtUp } from '../../support/caught-up.ts'
import type { Answer, Service, TestCompany } from '../../support/service.ts'
import { employee, send, startService } from '../../support/service.ts'
import { eventually } from '../../support/eventually.ts'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { EMPLOYEES } from '../../support/postgres/projection-tables.ts'

const CALLERS = 32
const CALLS = 640

const service = await startService(t)
const [one, two] = await Promise.all([startProcess(t, 'serve', service.urls), startProcess(t, 'serve', service.urls)])
const addresses = [addressOf(one), addressOf(two)]
await startProcess(t, 'work', service.urls)

/** Runs 32 callers, half on each process, over all companies. Every fifth call is refused. */
async function load(companies: TestCompany[]): Promise<{ company: TestCompany; answer: Answer }[]> {
  const done: { company: TestCompany; answer: Answer }[] = []
  let next = 0
  const caller = async (address: string) => {
    while (next < CALLS) {
      next += 1
      const company = companies[next % companies.length]!
      const body = next % 5 === 0 ? employee({ email: 'no e-mail' }) : employee()
      done.push({ company, answer: await send(address, 'POST', '/v1/employees', { key: company.key, body }) })
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(addresses[at % 2]!)))
  return done
}

/** The ids of a company's entries, once the workers have caught up. */
async function logIds(service: Service, company: TestCompany): Promise<string[]> {
  await eventually('the read models have caught up', () => isCaughtUp(service.db))
  const ids: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await service.admin(`/bulk-user-logs?limit=200${cursor}`, company.admin.token)
    ids.push(...body.items.map(({ id }: { id: string }) => id))
    if (body.next_cursor === null) return ids
    cursor = `&cursor=${body.next_cursor}`
  }
}

for (const count of [1, 16]) {
  await t.test(`ledger and log have each call of 32 callers and ${count} companies exactly once`, async (t) => {
    const companies = await Promise.all(Array.from({ length: count }, (_, at) => service.makeCompany(`Company ${at}`)))
    const done = await load(companies)
    t.equal(done.length, CALLS)
    t.strictSame(new Set(done.map(({ answer }) => answer.status)), new Set([201, 422]))
    for (const company of companies) {
      t.strictSame(await ledgerFaults(service.db, company.id), [])
      const answers = done.filter((call) => call.company === company).map(({ answer }) => answer)
      const positions = answers.map(({ headers }) => headers['x-ledger-position'])
      t.equal(new Set(positions).size, answers.length, 'each call has its own position')
      const logged = await logIds(service, company)
      t.equal(logged.length, answers.length)
      t.strictSame(new Set(logged), new Set(answers.map(({ body }) => body.log_id)))
      const created = answers.filter(({ status }) => status === 201).map(({ body }) => body.employees[0].id)
      const { rows } = await service.pool.query(
        `select employee_id from ${EMPLOYEES} where employee_id = any($1::uuid[])`,
        [created.map(toUuid)],
      )
      t.equal(rows.length, created.length)
    }
  })
}

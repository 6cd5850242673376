import http from 'node:http'
import t from 'tap'
import type { TestCompany } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { watchCommits } from '../support/ledger/watched-commits.ts'
import { inputs } from '../support/quick.ts'

/*
 * One key sends as much as it can while a good client of another company makes its calls. Every call of the good
 * client succeeds, and waits for at most one transaction besides the current one.
 */

/** Fewer than the abuser has waiting, so that the transactions are full. */
const RECORDS_PER_COMMIT = 20
const GOOD_CALLS = inputs(20, 60)

interface Abuse {
  name: string
  connections: number
  body(): unknown
  statuses: number[]
}

const ABUSES: Abuse[] = [
  {
    name: 'calls that claim 50,000 records',
    connections: 3,
    body: () => `[${'0,'.repeat(49_999)}0]`,
    statuses: [413],
  },
  {
    name: 'more small calls than a transaction takes',
    connections: 60,
    body: () => employee(),
    statuses: [201],
  },
  {
    name: 'calls whose records are all faulty',
    connections: 10,
    body: () => Array.from({ length: 20 }, () => ({})),
    statuses: [422],
  },
]

for (const { name, connections, body, statuses } of ABUSES) {
  await t.test(
    `beside ${name}, every call of another company succeeds, and waits for one commit at most`,
    async (t) => {
      const watch = watchCommits()
      const service = await startService(
        t,
        { RECORDS_PER_COMMIT: String(RECORDS_PER_COMMIT) },
        { tracing: watch.tracing },
      )
      const [abusive, good] = [service.company, await service.makeCompany('Good')]
      const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
      t.teardown(() => agent.destroy())
      const seen = new Set<number>()
      const run = { isOver: false }
      const abuse = Promise.all(
        Array.from({ length: connections }, async () => {
          while (!run.isOver) seen.add(await post(agent, service.address, abusive, body()))
        }),
      )
      await watch.handedIn(abusive.id, 1)
      const answers: number[] = []
      for (let at = 0; at < GOOD_CALLS; at += 1) {
        answers.push((await service.call('POST', '/v1/employees', { body: employee(), key: good.key })).status)
      }
      run.isOver = true
      await abuse
      t.strictSame(
        answers.filter((status) => status !== 201),
        [],
      )
      t.equal(watch.waitedFor(good.id).length, GOOD_CALLS)
      t.ok(Math.max(...watch.waitedFor(good.id)) <= 1, `commits in between: ${Math.max(...watch.waitedFor(good.id))}`)
      t.strictSame([...seen], statuses, 'the abuser was answered like any caller')
    },
  )
}

/** Sends a call on one of the agent's connections and returns the status of the answer. */
function post(agent: http.Agent, address: string, { key }: TestCompany, body: unknown): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-api-id': key.api_id, 'x-api-key': key.api_key }
    const request = http.request(`${address}/v1/employees`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!))
    })
    request.on('error', reject).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}

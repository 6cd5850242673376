import t from 'tap'
import { workedQueueNames } from '../../src/workers/queues.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'
import { startService } from '../support/service.ts'

/*
 * What a process sends while nobody calls. pg-boss asks for scheduled jobs every five seconds, which is as often as the
 * sweeps look: the stretch that is counted lasts for some of these questions, so a slow machine makes it longer for all.
 */

const QUESTIONS = 2
/** How often a timer of the same interval can go off meanwhile. */
const SWEEPS = QUESTIONS + 1
/** On each server, also in the minute's turn, when pg-boss does its own maintenance. */
const MAX_STATEMENTS = 60

const statements = watchStatements(t)
const service = await startService(t, {}, { workers: true })

/** The statements that ask for jobs of a queue. */
const askedFor = (queue: string) =>
  statements.filter(({ text }) => /^\s*WITH\s+next\b/.test(text) && text.includes(`'${queue}'`))
const scheduled = () => askedFor('__pgboss__send-it').length

/** Forgets what was sent, and waits for the next questions. Begins again if the machine stood still over the last one. */
async function watchAStretch(): Promise<void> {
  statements.length = 0
  await eventually('the stretch is over', async () => {
    if (scheduled() > QUESTIONS) statements.length = 0
    return scheduled() === QUESTIONS
  })
}

await eventually('all is folded', () => isCaughtUp(service.db))
// The first one may still tell webhooks of what was folded.
await watchAStretch()
await watchAStretch()
const idle = [...statements]
await t.test('a sweep looks over all companies of a server in one statement', async (t) => {
  for (const [what, pattern, each] of [
    ['events to fold', /^\W*select h\.company_id from heads/, 2],
    ['webhooks', /^\W*select p\.company_id, p\.webhook_id/, 1],
    ['uploads', /^\W*select u\.company_id from uploads/, 1],
  ] as const) {
    const sweeps = idle.filter(({ text }) => pattern.test(text))
    t.not(sweeps.length, 0, `it looks for ${what}`)
    for (const [server, sent] of Map.groupBy(sweeps, ({ server }) => server)) {
      t.equal(new Set(sent.map(({ text }) => text)).size, 1, `each time with the same statement on ${server}`)
      t.ok(sent.length <= each * SWEEPS, `${sent.length} times`)
    }
  }
})

await t.test('workers wait to be notified of jobs, and seldom ask for them', async (t) => {
  // Twice if the machine stood still meanwhile, and once after each job, of which a schedule may have sent one.
  for (const queue of workedQueueNames()) t.ok(askedFor(queue).length <= 3, queue)
})

await t.test(
  'a version of a projection that is complete is not looked at again, nor are dependent jobs, which do not exist',
  async (t) => {
    t.notOk(idle.some(({ text }) => /projection_versions|locked_parents/.test(text)))
  },
)

await t.test('no server gets many statements', async (t) => {
  for (const [server, sent] of Map.groupBy(idle, ({ server }) => server))
    t.ok(sent.length <= MAX_STATEMENTS, `${sent.length} on ${server}`)
})

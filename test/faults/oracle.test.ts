import t from 'tap'
import { BUGS } from './plants.ts'
import { runFault } from './run.ts'
import { expectToEnd } from '../support/cleanup.ts'
import { openStage } from './stage.ts'

/*
 * The oracle is tested itself: each of these bugs is planted into the running program, and it has to find every one. It
 * has to find nothing when nothing is planted.
 */

const stage = await openStage()
t.teardown(() => stage.cleanup.run().finally(expectToEnd))

const QUIET = 'nothing'
const SETTLES_WITHIN_MS = 4_000
// What a bug has broken may never be answered.
const RESOLVES_WITHIN_MS = 5_000
const TRIES = 3
/** Each of the eight clients makes every kind of call. */
const CALLS = 120

await t.test('it finds nothing where nothing is wrong', async (t) => {
  const outcome = await runFault(stage, QUIET, 1)
  t.same(outcome.wrong, [])
  t.ok(outcome.calls > 10)
})

for (const [name, bug] of Object.entries(BUGS)) {
  await t.test(`it finds a program that ${name}`, async (t) => {
    const affected = bug.process === 'api' ? stage.apis : stage.workers
    for (const part of affected) await part.restart('SIGTERM', { name, ...(bug.killAt === undefined ? {} : { killAt: bug.killAt }) })
    for (const part of affected) await part.ready()
    let wrong: string[] = []
    // A bug that only a certain moment brings out gets a few chances.
    let tries = 0
    for (; tries < TRIES && !wrong.some((line) => bug.found.test(line)); tries += 1) {
      wrong = (await runFault(stage, bug.shownBy ?? QUIET, tries + 1, { settlesWithinMs: SETTLES_WITHIN_MS, resolveWithinMs: RESOLVES_WITHIN_MS, looksAtTimes: false, callsAtLeast: CALLS })).wrong
    }
    t.ok(wrong.some((line) => bug.found.test(line)), `found: ${wrong.find((line) => bug.found.test(line)) ?? wrong.join('; ')}`)
    t.comment(`tries: ${tries}`)
    for (const part of affected) await part.restart('SIGTERM')
    for (const part of affected) await part.ready()
  })
}

import t from 'tap'
import { openGround } from './open-ground.ts'
import { runBatch } from './run-batch.ts'
import { needs } from '../support/processes/installed.ts'

/*
 * Hostile requests to every route of a real process, made from seeds by a grammar: the short form of `npm run fuzz`.
 */

const INPUTS = 400
// The service in memory gets the first batch, the separate process every tenth seed: the second.
const SEEDS = [19, 20]
const ground = await openGround(t, SEEDS.length)

// In parallel, since they mostly wait.
const outcomes = await Promise.all(SEEDS.map((seed) => runBatch(ground, { seed, inputs: INPUTS })))

for (const { seed, found, sent } of outcomes) {
  await t.test(
    `${INPUTS} hostile requests (seed ${seed}) are answered as documented, and their company's ledger verifies`,
    async (t) => {
      t.strictSame(found, [])
      t.ok(sent >= INPUTS)
    },
  )
}

await t.test('the requests succeed and are refused in many ways', async (t) => {
  const statuses = new Set(outcomes.flatMap(({ answers }) => [...answers.keys()].map((name) => name.slice(-3))))
  for (const status of ['200', '201', '400', '401', '404', '422']) t.ok(statuses.has(status), status)
})

await t.test('bodies that are cut off go through HAProxy, too', needs('haproxy'), async (t) => {
  t.equal(ground.raw.withoutProxy, null)
})

await t.test('the processes live, their logs leak nothing, and no other company has changed', async (t) => {
  t.strictSame(await ground.end(), [])
})

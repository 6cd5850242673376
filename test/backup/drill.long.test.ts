import t from 'tap'
import { SHORT_REST_MS } from '../faults/workload.ts'
import { runDrill } from './drill.ts'

/*
 * The short form of `npm run drill`. Each kind of restore is checked against the answers that clients got and the
 * external checkpoints.
 */

const NOTHING = { isLost: false, isDiverged: false, refused: false }
/** The archive stopped before the server was lost, and the moment is before that. */
const SOMETHING = { isLost: true, isDiverged: true, refused: true }
const WHAT_IS_LOST: Record<string, typeof NOTHING> = {
  'the synchronous standby is promoted': NOTHING,
  'backup, archive, and the log of the lost server': NOTHING,
  'backup and archive': SOMETHING,
  'backup and archive, to a moment': SOMETHING,
}

const reports = await runDrill({
  companies: 1,
  seed: 1,
  callsPerPart: 50,
  restMs: SHORT_REST_MS,
  print: () => undefined,
})

for (const { way, answered, lost, verdicts, refused, wrong } of reports) {
  await t.test(`restored from: ${way}`, async (t) => {
    t.strictSame(wrong, [])
    t.ok(answered > 0)
    t.strictSame(
      { isLost: lost > 0, isDiverged: verdicts.every((verdict) => verdict === 3), refused },
      WHAT_IS_LOST[way],
    )
  })
}

await t.test('every kind of restore was tried', async (t) => {
  t.strictSame(
    reports.map(({ way }) => way),
    Object.keys(WHAT_IS_LOST),
  )
})

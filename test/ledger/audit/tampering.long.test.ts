import t from 'tap'
import { hasPython } from '../../support/ledger/both-verifiers.ts'
import { tamper } from '../../support/ledger/tamper.ts'
import { TAMPERINGS } from '../../support/ledger/tamperings.ts'
import { inputs } from '../../support/quick.ts'

const TIMES = inputs(3, 12)

// `npm run tamper` does this ten thousand times.
await t.test("tampering with an export is noticed against its auditor's checkpoints", async (t) => {
  const { noticed, faults } = await tamper(TIMES * Object.keys(TAMPERINGS).length, 20_261_120, false)
  t.strictSame(faults, [])
  t.strictSame([...noticed.keys()], Object.keys(TAMPERINGS), 'every kind was tried')
})

await t.test(
  'the second verifier notices it in the same place',
  { skip: !hasPython() && 'there is no python3 here' },
  async (t) => {
    const { faults, judgedTwice } = await tamper(2 * Object.keys(TAMPERINGS).length, 7, true)
    t.strictSame(faults, [])
    t.equal(judgedTwice, 2 * Object.keys(TAMPERINGS).length)
  },
)

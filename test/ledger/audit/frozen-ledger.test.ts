import t from 'tap'
import { UNSET_ATTRIBUTES } from '../../../src/domain/attributes.ts'
import { EVENT_TYPES } from '../../../src/domain/event-types.ts'
import { readRefusalCauses } from '../../../src/log/refusal-causes.ts'
import { verifyHere } from '../../support/ledger/both-verifiers.ts'
import { exportLines } from '../../support/ledger/export-lines.ts'
import { FROZEN, foldLedger, listClosings, loadLedger, readFrozen } from '../../support/ledger/frozen-ledger.ts'
import { startService } from '../../support/service.ts'

/*
 * The program reads the ledgers that its earlier versions recorded. When an event's schema version changes, record a
 * new ledger (test/support/ledger/record-release.ts) and keep the old ones.
 */

for (const version of FROZEN) {
  const { lines, checkpoints, publicKey, folded } = readFrozen(version)

  await t.test(`the recorded ledger ${version} verifies, byte for byte`, async (t) => {
    const verdict = await verifyHere({
      bytes: Buffer.from(lines.join('')),
      checkpoints: Buffer.from(checkpoints),
      publicKey,
    })
    t.match(verdict, { verdict: 'consistent', events: lines.length, signed_to: lines.length })
  })

  await t.test(`the recorded ledger ${version} exports the same lines and folds to the same state`, async (t) => {
    const service = await startService(t)
    const companyId = await loadLedger(service.db, lines)
    t.strictSame(await exportLines(service.db, companyId), lines)
    const { employees, entries } = await foldLedger(service.db, companyId)
    // The source was no column of the log before 1.2.0.
    const closings = listClosings(version)
    t.strictSame(
      entries,
      folded.entries.map((recorded, at) => ({ source: closings[at]?.source, ...recorded })),
    )
    // Attributes that the recorded version didn't have are unset.
    t.strictSame(
      employees,
      folded.employees.map((recorded) => ({ ...UNSET_ATTRIBUTES, ...recorded })),
    )
    const { causes } = await readRefusalCauses(service.db, companyId, { from: '2020-01-01T00:00:00.000Z' }, 200)
    t.ok(causes.length > 0, 'why its records were refused is known, too')
    t.ok(causes.every(({ message, examples }) => message !== null && examples.length > 0))
  })
}

await t.test('a recorded ledger has every current event type in its current schema version', async (t) => {
  const recorded = new Set(
    FROZEN.flatMap((version) => readFrozen(version).lines).map((line) => {
      const { type, schema_version } = JSON.parse(JSON.parse(line).envelope)
      return `${type} ${schema_version}`
    }),
  )
  const today = Object.entries(EVENT_TYPES).map(([type, { version }]) => `${type} ${version}`)
  t.strictSame(
    today.filter((known) => !recorded.has(known)),
    [],
  )
})

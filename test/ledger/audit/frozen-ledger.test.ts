import t from 'tap'
import { SCHEMA_VERSIONS } from '../../../src/domain/events.ts'
import { verifyHere } from '../../support/ledger/both-verifiers.ts'
import { exportLines } from '../../support/ledger/export-lines.ts'
import { FROZEN, foldLedger, loadLedger, readFrozen } from '../../support/ledger/frozen-ledger.ts'
import { startService } from '../../support/service.ts'

/*
 * What was recorded with an earlier version of the program is read by this one. When a schema version of an event
 * changes, a new ledger is recorded beside the old ones (test/support/ledger/record-ledger.ts), and none is ever made anew.
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

  await t.test(`the recorded ledger ${version} is exported as it was, and folds to what it folded to`, async (t) => {
    const service = await startService(t)
    const companyId = await loadLedger(service.db, lines)
    t.strictSame(await exportLines(service.db, companyId), lines)
    t.strictSame(await foldLedger(service.db, companyId), folded)
  })
}

await t.test('every type of event of today stands in a recorded ledger, in its schema version of today', async (t) => {
  const recorded = new Set(
    FROZEN.flatMap((version) => readFrozen(version).lines).map((line) => {
      const { type, schema_version } = JSON.parse(JSON.parse(line).envelope)
      return `${type} ${schema_version}`
    }),
  )
  const today = Object.entries(SCHEMA_VERSIONS).map(([type, version]) => `${type} ${version}`)
  t.strictSame(
    today.filter((known) => !recorded.has(known)),
    [],
  )
})

import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openCompanyWatch } from '../../../src/http/live/company-watch.ts'
import { readPositions } from '../../../src/ledger/read/read-head.ts'
import { startService } from '../../support/service.ts'

const INTERVAL_MS = 10
/** Timers of one duration go off in the order in which they were set, so this one goes off after the watch's. */
const nextLook = () => pause(INTERVAL_MS)

const service = await startService(t)
const companyId = service.company.id

await t.test('when the last listener has left before the next look, nothing is asked and nothing fails', async (t) => {
  const asked: string[][] = []
  const errors: unknown[] = []
  const positions = (companyIds: string[]) => {
    asked.push(companyIds)
    return readPositions(service.db, companyIds)
  }
  const watch = openCompanyWatch(positions, { intervalMs: INTERVAL_MS, onError: (error) => errors.push(error) })
  watch.listen(companyId, () => t.fail('has left'))()
  await nextLook()
  t.strictSame(asked, [])

  await new Promise<void>((moved) => {
    watch.listen(companyId, () => moved())
  })
  t.strictSame(asked, [[companyId]], 'who listens later is told')
  t.strictSame(errors, [])
})

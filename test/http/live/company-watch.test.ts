import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { createCompanyWatch } from '../../../src/http/live/position-waits.ts'
import { readPositions } from '../../../src/ledger/read/read-head.ts'
import { startService } from '../../support/service.ts'

const INTERVAL_MS = 10
/** Timers of one duration fire in the order they were set, so this one fires after the watch's. */
const nextLook = () => pause(INTERVAL_MS)

const service = await startService(t)
const companyId = service.company.id

await t.test('if the last listener leaves before the next look, nothing is queried and nothing fails', async (t) => {
  const asked: string[][] = []
  const errors: unknown[] = []
  const positions = (companyIds: string[]) => {
    asked.push(companyIds)
    return readPositions(service.db, companyIds)
  }
  const watch = createCompanyWatch(positions, { intervalMs: INTERVAL_MS, onError: (error) => errors.push(error) })
  watch.listen(companyId, () => t.fail('the listener has left'))()
  await nextLook()
  t.strictSame(asked, [])

  await new Promise<void>((moved) => {
    watch.listen(companyId, () => moved())
  })
  t.strictSame(asked, [[companyId]], 'a later listener is notified')
  t.strictSame(errors, [])
})

await t.test('if one of several companies cannot be read, the others are watched all the same', async (t) => {
  const { id: lost } = await service.makeCompany('Lost')
  const read = async (companyIds: string[]) => {
    if (companyIds.includes(lost)) throw new Error('it cannot be read')
    return readPositions(service.db, companyIds)
  }
  const errors: unknown[] = []
  const watch = createCompanyWatch(read, {
    intervalMs: INTERVAL_MS,
    onError: (error) => errors.push(error),
    companiesTogether: 1,
  })
  const stop = watch.listen(lost, () => t.fail('it cannot be read'))
  const moved = await new Promise<number>((resolve) => watch.listen(companyId, resolve))
  t.ok(moved > 0)
  t.ok(errors.length > 0)
  stop()
})

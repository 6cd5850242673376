import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { createCompanyWatch } from '../../../src/http/live/company-watch.ts'
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

await t.test('if the machine of a company is unknown, the others are watched all the same', async (t) => {
  const { id: lost } = await service.makeCompany('Lost')
  const machineOf = (id: string) => {
    if (id === lost) throw new Error('its machine is unknown')
    return 'a machine'
  }
  const watch = createCompanyWatch((companyIds) => readPositions(service.db, companyIds), {
    intervalMs: INTERVAL_MS,
    onError: (error) => t.fail('it can be read', { error }),
    machineOf,
  })
  const listening = [companyId, lost].map((id) => {
    const { promise, resolve } = Promise.withResolvers<number>()
    return { moved: promise, stop: watch.listen(id, resolve) }
  })
  for (const { moved, stop } of listening) {
    t.ok((await moved) > 0)
    stop()
  }
})

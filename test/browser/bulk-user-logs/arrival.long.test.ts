import t from 'tap'
import { openBrowser } from '../../support/browser/browser.ts'
import { startService } from '../../support/service.ts'
import { idsOf, makeCall, rowOf, watchLog } from '../../support/processes/watched-log.ts'

const browser = await openBrowser()
const service = await startService(t, { SIGN_IN_LIMIT: '0' })

await t.test('new entries appear at the top by themselves, and are announced politely in one message', async (t) => {
  const { company, first, page, faults } = await watchLog(t, browser, service, 'Arrival')
  const second = await makeCall(service.address, company)
  await service.project(company.id)
  await rowOf(page, second).waitFor()
  await page.locator('[data-live-announcement]', { hasText: '1 new entry' }).waitFor({ state: 'attached' })
  const more = [
    await makeCall(service.address, company),
    await makeCall(service.address, company),
    await makeCall(service.address, company, { first_name: 'Only' }),
  ]
  await service.project(company.id)
  for (const id of more) await rowOf(page, id).waitFor()
  t.strictSame(await idsOf(page), [...more.toReversed(), second, first])
  await page.locator('[data-live-announcement]', { hasText: '3 new entries' }).waitFor({ state: 'attached' })
  t.equal(await page.locator('[data-live-announcement]').getAttribute('aria-live'), 'polite')
  await rowOf(page, more[2]!).getByRole('link').click()
  await page.waitForURL(`**/${more[2]}`)
  t.same(faults, [])
})

import t from 'tap'
import { openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { employee, startService } from '../../support/service.ts'
import { idsOf, isLive, LOGS, makeCall, rowOf, watchLog } from '../../support/processes/watched-log.ts'

const browser = await openBrowser(t)
const service = await startService(t, { SWEEP_INTERVAL_MS: '200', SIGN_IN_LIMIT: '0' }, { workers: true })

await t.test('only entries that the filters let through arrive', async (t) => {
  const { company, page, faults } = await watchLog(t, browser, service, 'Filtered', `${LOGS}?status=Failed`)
  t.strictSame(await idsOf(page), [])
  await page.getByText('No matching entries').waitFor()
  await makeCall(service.address, company)
  const failed = await makeCall(service.address, company, { first_name: 'Only' })
  await rowOf(page, failed).waitFor()
  t.strictSame(await idsOf(page), [failed])
  t.notOk(await page.getByText('No matching entries').isVisible())
  t.same(faults, [])
})

await t.test('an entry of an employee who is new to the company arrives where the filter looks for them', async (t) => {
  const { company, page, faults } = await watchLog(t, browser, service, 'Searched', `${LOGS}?q=zoë`)
  const id = await makeCall(service.address, company, employee({ first_name: 'Zoë' }))
  await rowOf(page, id).waitFor()
  t.strictSame(await idsOf(page), [id])
  t.same(faults, [])
})

await t.test('the first entry of an empty company takes the place of its explanation', async (t) => {
  const company = await service.makeCompany('First')
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, company, 'admin')
  await isLive(page)
  await page.locator('#first-call').waitFor()
  const id = await makeCall(service.address, company)
  await rowOf(page, id).waitFor()
  t.notOk(await page.locator('#first-call').isVisible())
  t.same(faults, [])
})

await t.test('while paused nothing moves and the page says how many wait; they come when it goes on', async (t) => {
  const { company, first, page, faults } = await watchLog(t, browser, service, 'Paused')
  const pause = page.getByRole('button', { name: 'Pause' })
  await pause.click()
  t.equal(await pause.getAttribute('aria-pressed'), 'true')
  await page.locator('[data-live-status]', { hasText: 'Paused' }).waitFor()
  const missed = [await makeCall(service.address, company), await makeCall(service.address, company)]
  await page.getByText('2 waiting', { exact: true }).waitFor()
  t.strictSame(await idsOf(page), [first])
  await pause.press('Space')
  t.equal(await pause.getAttribute('aria-pressed'), 'false')
  await rowOf(page, missed[1]!).waitFor()
  t.strictSame(await idsOf(page), [...missed.toReversed(), first])
  t.equal(await page.locator('[data-live-waiting]').textContent(), '')
  t.same(faults, [])
})

await t.test('whoever reads further down, with the focus on a link there, is not disturbed', async (t) => {
  const company = await service.makeCompany('Reading')
  for (let at = 0; at < 40; at += 1) await makeCall(service.address, company)
  await service.project(company.id)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, company, 'admin')
  await isLive(page)
  const read = rowOf(page, String((await idsOf(page))[25]))
  await read.getByRole('link').focus()
  await read.evaluate((element) => (element as unknown as { scrollIntoView(): void }).scrollIntoView())
  const before = await read.boundingBox()
  const arrived = await makeCall(service.address, company)
  await rowOf(page, arrived).waitFor()
  // What a browser does by itself about scrolling is done with the next frame.
  await page.evaluate(
    () =>
      new Promise((resolve) =>
        (globalThis as unknown as { requestAnimationFrame(go: unknown): void }).requestAnimationFrame(resolve),
      ),
  )
  t.ok(Math.abs((await read.boundingBox())!.y - before!.y) < 1, 'not by a pixel')
  t.ok(await read.getByRole('link').evaluate((link) => link === link.ownerDocument.activeElement))
  t.same(faults, [])
})

await t.test('a page of older entries stays as it is', async (t) => {
  const { page, faults } = await watchLog(t, browser, service, 'Older')
  const cursor = await page.locator('tbody tr').first().getAttribute('data-cursor')
  await page.goto(`${LOGS}?cursor=${cursor}`)
  t.equal(await page.locator('[data-live]').count(), 0)
  t.same(faults, [])
})

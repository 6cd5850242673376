import t from 'tap'
import { openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { employee, startService } from '../../support/service.ts'
import { idsOf, isLive, LOGS, makeCall, rowOf, watchLog } from '../../support/processes/watched-log.ts'

const browser = await openBrowser()
const service = await startService(t, { SWEEP_INTERVAL_MS: '200', SIGN_IN_LIMIT: '0' }, { workers: true })

await t.test('only entries that match the filters arrive', async (t) => {
  const { company, page, faults } = await watchLog(t, browser, service, 'Filtered', `${LOGS}?status=Failed`)
  t.strictSame(await idsOf(page), [])
  await page.getByText('No matching entries').waitFor()
  await makeCall(service.address, company)
  const failed = await makeCall(service.address, company, { first_name: 'Only' })
  await rowOf(page, failed).waitFor()
  t.strictSame(await idsOf(page), [failed])
  t.notOk(await page.getByText('No matching entries').isVisible())
  await page.getByText('1 entry matches', { exact: true }).waitFor()
  await makeCall(service.address, company, { first_name: 'Second' })
  await page.getByText('2 entries match', { exact: true }).waitFor()
  t.same(faults, [])
})

await t.test('the sums of all pages and the number of entries include entries that arrive', async (t) => {
  const { company, page, faults } = await watchLog(t, browser, service, 'Summed')
  const sums = page.locator('tfoot td.number')
  t.strictSame(await sums.allInnerTexts(), ['1', '0', '0', '0', '0'])
  const refused = { first_name: 'Without email' }
  for (const body of [refused, Array.from({ length: 3 }, () => employee()), [employee(), refused]])
    await makeCall(service.address, company, body)
  await page.getByText('4 entries', { exact: true }).waitFor()
  t.strictSame(await sums.allInnerTexts(), ['7', '0', '0', '2', '0'])
  t.strictSame(await page.locator('tfoot td.number:not(.none)').allInnerTexts(), ['7', '2'], 'only 0 is faint')
  await page.reload()
  t.strictSame(await sums.allInnerTexts(), ['7', '0', '0', '2', '0'], 'the server sums in the same way')
  t.same(faults, [])
})

await t.test('an entry of an employee new to the company arrives when the filter matches it', async (t) => {
  const { company, page, faults } = await watchLog(t, browser, service, 'Searched', `${LOGS}?q=zoë`)
  const id = await makeCall(service.address, company, employee({ first_name: 'Zoë' }))
  await rowOf(page, id).waitFor()
  t.strictSame(await idsOf(page), [id])
  t.same(faults, [])
})

await t.test('the first entry of an empty company replaces the explanation', async (t) => {
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

await t.test('a paused page does not move and says how many entries wait; they appear when it resumes', async (t) => {
  const { company, first, page, faults } = await watchLog(t, browser, service, 'Paused')
  const pause = page.locator('[data-live-pause]')
  await pause.click()
  t.equal(await pause.textContent(), 'Resume')
  await page.locator('[data-live-status]', { hasText: 'Paused' }).waitFor()
  const missed = [await makeCall(service.address, company), await makeCall(service.address, company)]
  await page.getByRole('button', { name: '2 new entries' }).waitFor()
  t.strictSame(await idsOf(page), [first])
  t.ok(await page.getByText('3 entries', { exact: true }).isVisible(), 'those that wait are counted')
  await pause.press('Space')
  t.equal(await pause.textContent(), 'Pause')
  await rowOf(page, missed[1]!).waitFor()
  t.strictSame(await idsOf(page), [...missed.toReversed(), first])
  t.notOk(await page.locator('[data-live-waiting]').isVisible())
  t.same(faults, [])
})

await t.test('new entries do not disturb a reader further down with the focus on a link', async (t) => {
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
  const waiting = page.getByRole('button', { name: '1 new entry' })
  await waiting.waitFor()
  t.ok(Math.abs((await read.boundingBox())!.y - before!.y) < 1, 'it did not move by a pixel')
  t.ok(await read.getByRole('link').evaluate((link) => link === link.ownerDocument.activeElement))
  await waiting.click()
  await rowOf(page, arrived).waitFor()
  t.same(faults, [])
})

await t.test('no row moves under the pointer; new entries appear when it leaves the list', async (t) => {
  const { company, first, page, faults } = await watchLog(t, browser, service, 'Pointed')
  await rowOf(page, first).hover()
  const arrived = await makeCall(service.address, company)
  await page.getByRole('button', { name: '1 new entry' }).waitFor()
  t.strictSame(await idsOf(page), [first])
  await page.mouse.move(0, 0)
  await rowOf(page, arrived).waitFor()
  t.strictSame(await idsOf(page), [arrived, first])
  t.same(faults, [])
})

await t.test('a page of older entries does not change', async (t) => {
  const { page, faults } = await watchLog(t, browser, service, 'Older')
  const cursor = await page.locator('.entries tbody tr').first().getAttribute('data-cursor')
  await page.goto(`${LOGS}?cursor=${cursor}`)
  t.equal(await page.locator('[data-live]').count(), 0)
  t.same(faults, [])
})

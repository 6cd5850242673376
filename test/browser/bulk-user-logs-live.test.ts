import type { Page } from 'playwright-core'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { startApi } from '../../src/bootstrap.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { openBrowser, openPage, signIn } from '../support/browser.ts'
import type { Service, TestCompany } from '../support/service.ts'
import { employee, send, startService } from '../support/service.ts'

const LOGS = '/settings/bulk-user-logs'
const browser = await openBrowser(t)
const SETTINGS = { SWEEP_INTERVAL_MS: '200', STREAM_HEARTBEAT_MS: '200', STREAMS_PER_USER: '2', SIGN_IN_LIMIT: '0' }
const service = await startService(t, SETTINGS, { workers: true })

/** Makes a call of a company and gives the id of its entry. */
async function call(company: TestCompany, body: object = employee(), address = service.address): Promise<string> {
  return (await send(address, 'POST', '/v1/employees', { key: company.key, body })).body.log_id as string
}

/** An administrator of a company of their own, with one entry, who looks at the list while it is live. */
async function watch(t: Test, name: string, path = LOGS, of: Service = service) {
  const company = await of.makeCompany(name)
  const first = await call(company, employee(), of.address)
  await of.project(company.id)
  const { page, faults } = await openPage(t, browser, of)
  await signIn(page, company, 'admin')
  await page.goto(path)
  await isLive(page)
  return { company, first, page, faults }
}

const isLive = (page: Page) => page.locator('[data-live-status]', { hasText: /^Live$/ }).waitFor()
const ids = (page: Page) => page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))
const row = (page: Page, id: string) => page.locator(`tbody tr[data-id="${id}"]`)

await t.test('new entries arrive at the top by themselves, and are announced politely, once for all', async (t) => {
  const { company, first, page, faults } = await watch(t, 'Arrival')
  const second = await call(company)
  await row(page, second).waitFor()
  await page.locator('[data-live-announcement]', { hasText: '1 new entry' }).waitFor({ state: 'attached' })
  const more = [await call(company), await call(company), await call(company, { first_name: 'Only' })]
  for (const id of more) await row(page, id).waitFor()
  t.strictSame(await ids(page), [...more.toReversed(), second, first])
  await page.locator('[data-live-announcement]', { hasText: /^[23] new entries$/ }).waitFor({ state: 'attached' })
  t.equal(await page.locator('[data-live-announcement]').getAttribute('aria-live'), 'polite')
  await row(page, more[2]!).getByRole('link').click()
  await page.waitForURL(`**/${more[2]}`)
  t.same(faults, [])
})

await t.test('only entries that the filters let through arrive', async (t) => {
  const { company, page, faults } = await watch(t, 'Filtered', `${LOGS}?status=Failed`)
  t.strictSame(await ids(page), [])
  await page.getByText('No entry matches these filters').waitFor()
  await call(company)
  const failed = await call(company, { first_name: 'Only' })
  await row(page, failed).waitFor()
  t.strictSame(await ids(page), [failed])
  t.notOk(await page.getByText('No entry matches these filters').isVisible())
  t.same(faults, [])
})

await t.test('an entry of an employee who is new to the company arrives where the filter looks for them', async (t) => {
  const { company, page, faults } = await watch(t, 'Searched', `${LOGS}?q=zoë`)
  const id = await call(company, employee({ first_name: 'Zoë' }))
  await row(page, id).waitFor()
  t.strictSame(await ids(page), [id])
  t.same(faults, [])
})

await t.test('the first entry of an empty company takes the place of its explanation', async (t) => {
  const company = await service.makeCompany('First')
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, company, 'admin')
  await isLive(page)
  await page.locator('#first-call').waitFor()
  const id = await call(company)
  await row(page, id).waitFor()
  t.notOk(await page.locator('#first-call').isVisible())
  t.same(faults, [])
})

await t.test('while paused nothing moves and the page says how many wait; they come when it goes on', async (t) => {
  const { company, first, page, faults } = await watch(t, 'Paused')
  const pause = page.getByRole('button', { name: 'Pause' })
  await pause.click()
  t.equal(await pause.getAttribute('aria-pressed'), 'true')
  await page.locator('[data-live-status]', { hasText: 'Paused' }).waitFor()
  const missed = [await call(company), await call(company)]
  await page.getByText('2 waiting', { exact: true }).waitFor()
  t.strictSame(await ids(page), [first])
  await pause.press('Space')
  t.equal(await pause.getAttribute('aria-pressed'), 'false')
  await row(page, missed[1]!).waitFor()
  t.strictSame(await ids(page), [...missed.toReversed(), first])
  t.equal(await page.locator('[data-live-waiting]').textContent(), '')
  t.same(faults, [])
})

await t.test('whoever reads further down, with the focus on a link there, is not disturbed', async (t) => {
  const company = await service.makeCompany('Reading')
  for (let at = 0; at < 40; at += 1) await call(company)
  await service.project(company.id)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, company, 'admin')
  await isLive(page)
  const read = row(page, String((await ids(page))[25]))
  await read.getByRole('link').focus()
  await read.evaluate((element) => (element as unknown as { scrollIntoView(): void }).scrollIntoView())
  const before = await read.boundingBox()
  const arrived = await call(company)
  await row(page, arrived).waitFor()
  // What a browser does by itself about scrolling is done with the next frame.
  await page.evaluate(() => new Promise((resolve) => (globalThis as unknown as { requestAnimationFrame(go: unknown): void }).requestAnimationFrame(resolve)))
  t.ok(Math.abs((await read.boundingBox())!.y - before!.y) < 1, 'not by a pixel')
  t.ok(await read.getByRole('link').evaluate((link) => link === link.ownerDocument.activeElement))
  t.same(faults, [])
})

await t.test('after the server was restarted the page goes on: nothing is missed, nothing comes twice', async (t) => {
  const own = await startService(t, SETTINGS, { workers: true })
  const log = pino({ level: 'silent' })
  const store = { pool: own.pool, db: own.db, close: async () => undefined }
  const { company, first, page, faults } = await watch(t, 'Restart', LOGS, own)
  const second = await call(company, employee(), own.address)
  await row(page, second).waitFor()

  await own.app.close()
  await page.locator('[data-live-status]', { hasText: 'Reconnecting' }).waitFor()
  const other = await startApi(own.config, own.urls, store, log)
  t.teardown(() => other.stop())
  const missed = [await call(company, employee(), other.address), await call(company, employee(), other.address)]
  const again = await startApi({ ...own.config, PORT: Number(new URL(own.address).port) }, own.urls, store, log)
  t.teardown(() => again.stop())

  await isLive(page)
  const late = await call(company, employee(), again.address)
  await row(page, late).waitFor()
  t.strictSame(await ids(page), [late, ...missed.toReversed(), second, first])
  t.same(faults.filter((fault) => !fault.includes('ERR_CONNECTION_REFUSED')), [])
})

await t.test('a page whose user has been signed out says so, and leads back after signing in', async (t) => {
  const { company, page, faults } = await watch(t, 'Signed out', `${LOGS}?status=Completed`)
  await service.pool.query('delete from sessions where company_id = $1', [toUuid(company.id)])
  await page.locator('[data-live-status]', { hasText: 'Signed out' }).waitFor()
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await page.waitForURL('**/sign-in?next=**')
  await page.getByLabel('E-mail').fill(company.admin.email)
  await page.getByLabel('Password').fill(company.admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${LOGS}?status=Completed`)
  t.same(faults, [])
})

await t.test('a tab that gets no stream of its own looks for new entries all the same', async (t) => {
  const { company, page } = await watch(t, 'Tabs')
  const tabs = [await page.context().newPage(), await page.context().newPage()]
  await tabs[0]!.goto(LOGS)
  await isLive(tabs[0]!)
  await tabs[1]!.goto(LOGS)
  await tabs[1]!.locator('[data-live-status]', { hasText: 'Reconnecting' }).waitFor()
  const id = await call(company)
  for (const tab of [page, ...tabs]) await row(tab, id).waitFor()
  await page.close()
  await isLive(tabs[1]!)
})

await t.test('a tab that is hidden for long gives its stream back, and goes on where it was when it is seen again', async (t) => {
  const { company, page, faults } = await watch(t, 'Hidden')
  await page.clock.install()
  await page.reload()
  await isLive(page)
  const show = (state: string) =>
    page.evaluate((state) => {
      const { document, Event } = globalThis as unknown as { document: { dispatchEvent(event: unknown): void }; Event: new (name: string) => unknown }
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/stream'))
  await show('hidden')
  await page.clock.fastForward('01:01')
  await closed
  const id = await call(company)
  await service.project(company.id)
  t.equal(await row(page, id).count(), 0)
  await show('visible')
  await row(page, id).waitFor()
  await isLive(page)
  t.same(faults, [])
})

await t.test('a page of older entries stays as it is', async (t) => {
  const { page, faults } = await watch(t, 'Older')
  const cursor = await page.locator('tbody tr').first().getAttribute('data-cursor')
  await page.goto(`${LOGS}?cursor=${cursor}`)
  t.equal(await page.locator('[data-live]').count(), 0)
  t.same(faults, [])
})

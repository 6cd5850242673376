import { globSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { makeHistory } from '../support/ledger/evidence.ts'
import { lengthenLedger } from '../support/ledger/long-ledger.ts'
import { holdHead, letGo } from '../support/postgres/held-rows.ts'
import { lockTables } from '../support/postgres/lock-tables.ts'
import type { Service } from '../support/service.ts'
import { employee, send, startService } from '../support/service.ts'

/* Pages with parts that reload by themselves. Once such a part is final, the page shows what a reload shows. */

const browser = await openBrowser()
const LIVE = ['company/health-page.ts', 'evidence/evidence-page.ts', 'ledger/ledger-page.ts', 'uploads/upload-page.ts']

/** Without workers, so that nothing goes on before a test says so. */
async function open(t: Parameters<typeof openPage>[0], settings = {}) {
  const service = await startService(t, settings)
  const watched = await openPage(t, browser, service)
  await signIn(watched.page, service.company, 'admin')
  const startWorkers = () => startService(t, settings, { workers: true, urls: service.urls })
  return { service, ...watched, startWorkers }
}

const isLive = (page: Page) => page.locator('[data-refresh]').count()
const isFinal = (page: Page) => page.locator('[data-refresh]').waitFor({ state: 'detached' })
/** The title and the text of a page, without ages, and its buttons, links and fields. */
const read = async (page: Page) => ({
  title: await page.title(),
  ...(await page.locator('main').evaluate((shown) => {
    const main = shown.cloneNode(true)
    for (const age of main.querySelectorAll('[data-since]')) age.remove()
    const words = (main.textContent ?? '').replaceAll(/\s+/g, ' ')
    const controls = [...main.querySelectorAll('a, button, input, select, summary')].map((one) => one.outerHTML)
    return { words, controls }
  })),
})

async function showsWhatReloadShows(t: Parameters<typeof openPage>[0], page: Page): Promise<void> {
  const live = await read(page)
  await page.reload()
  t.strictSame(live, await read(page))
}

await t.test('every page with a live part is tested below', async (t) => {
  const live = globSync('**/*.ts', { cwd: 'src/pages' }).filter((file) =>
    readFileSync(`src/pages/${file}`, 'utf8').includes('data-refresh='),
  )
  t.strictSame(live.toSorted(), LIVE)
})

async function uploadRows(service: Service, faulty: number): Promise<string> {
  const row = (at: number) => `L-${at},Ada,Lovelace,ada.${at}@example.com,${at === faulty ? '1' : ''}`
  const rows = Array.from({ length: 12 }, (_, at) => row(at))
  const { body } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=staff.csv', {
    key: null,
    body: ['external_id,first_name,last_name,email,phone', ...rows].join('\n'),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${service.company.admin.token}` },
  })
  return `/settings/bulk-user-logs/upload/${body.id}`
}

for (const [what, faulty, button] of [
  ['without errors', -1, 'Apply 12 records'],
  ['with an error', 7, 'Apply 11 of 12 records'],
] as const) {
  await t.test(`the preview of a large file ${what} ends with its counts, its buttons and its title`, async (t) => {
    const { service, page, faults, startWorkers } = await open(t, { MAX_RECORDS: '5' })
    await page.goto(await uploadRows(service, faulty))
    t.equal(await isLive(page), 1)
    await page.getByRole('link', { name: 'Choose another file' }).focus()
    await startWorkers()
    await isFinal(page)
    t.ok(await page.getByRole('button', { name: button }).isVisible())
    t.match(await page.locator(':focus').textContent(), 'Choose another file', 'the focus stays where it was')
    await showsWhatReloadShows(t, page)
    t.same(faults, [])
  })
}

await t.test('a large file that is applied ends with what became of it', async (t) => {
  const { service, page, faults, startWorkers } = await open(t, { MAX_RECORDS: '5' })
  const path = await uploadRows(service, 7)
  await startWorkers()
  await page.goto(path)
  await isFinal(page)
  const holder = await holdHead(service)
  await page.getByRole('button', { name: 'Apply 11 of 12 records' }).click()
  await page.getByRole('progressbar').waitFor()
  t.equal(await isLive(page), 1)
  await letGo(holder)
  await isFinal(page)
  t.match(await page.title(), /^File applied in part/)
  await showsWhatReloadShows(t, page)
  t.same(faults, [])
})

await t.test('a verification of the ledger ends with its verdict', async (t) => {
  const { service, page, faults } = await open(t)
  await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  await page.goto('/settings/ledger')
  const unlock = await lockTables(service, 'events')
  await page.getByRole('button', { name: 'Verify ledger' }).click()
  await page.getByRole('progressbar').waitFor()
  t.equal(await isLive(page), 1)
  await unlock()
  await isFinal(page)
  await showsWhatReloadShows(t, page)
  t.same(faults, [])
})

await t.test('an evidence file that a job makes ends with its download', async (t) => {
  const { service, page, faults, startWorkers } = await open(t)
  const ana = await makeHistory(service, 'Ana')
  await lengthenLedger(service, service.company.id, ana.id, 12_000)
  await page.goto('/settings/ledger/evidence?from=2020-01-01')
  await page.getByRole('button', { name: 'Make evidence file' }).click()
  await page.getByRole('progressbar').waitFor()
  t.equal(await isLive(page), 1)
  await startWorkers()
  await isFinal(page)
  await page.getByRole('link', { name: 'Download evidence file' }).waitFor()
  await showsWhatReloadShows(t, page)
  t.same(faults, [])
})

await t.test('the health of the system is at any moment what a reload shows', async (t) => {
  const { service, page, faults } = await open(t)
  await service.project()
  await page.goto('/settings/health')
  await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  await page.getByText('Catching up').first().waitFor()
  await service.project()
  await page.getByText('Catching up').first().waitFor({ state: 'hidden' })
  await showsWhatReloadShows(t, page)
  t.same(faults, [])
})

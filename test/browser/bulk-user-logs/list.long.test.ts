import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { looksOf, openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { employee, startService } from '../../support/service.ts'
import { ENTRIES, HOURS } from '../../support/postgres/projection-tables.ts'

const LOGS = '/settings/bulk-user-logs'
const browser = await openBrowser()
const service = await startService(t, { SIGN_IN_LIMIT: '0' })

/** Makes one creation that succeeds and one that fails. */
async function twoCalls(company = service.company, more = {}): Promise<void> {
  await service.call('POST', '/v1/employees', { key: company.key, body: employee(more) })
  await service.call('POST', '/v1/employees', { key: company.key, body: { first_name: 'Only' } })
  await service.project(company.id)
}

await t.test('the list shows what the specification requires, newest first, and links to each entry', async (t) => {
  const company = await service.makeCompany('List')
  await twoCalls(company)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, company, 'admin')
  t.equal(new URL(page.url()).pathname, LOGS)
  const heads = await page.locator('.entries thead th').allTextContents()
  const counts = ['Total', 'Updated', 'Deactivated', 'Failed', 'No Updates']
  t.strictSame(heads, ['Date/Time UTC', 'Status', 'Result', 'Name', 'By', ...counts])
  t.ok(await page.getByRole('columnheader', { name: 'Name' }).isVisible())
  const rows = page.locator('.entries tbody tr')
  t.equal(await rows.count(), 2)
  t.match(
    await rows.nth(0).innerText(),
    /^\d+ \w+, [\d:]+\s+Failed\s+Records are not valid\s+Public API\s+HR sync\s+1\s+0\s+0\s+1\s+0$/,
  )
  t.match(await rows.nth(1).innerText(), /Completed\s+Created 1 · Ana Pérez\s+Public API\s+HR sync/)
  await rows.nth(0).getByRole('link').click()
  await page.waitForURL('**/log_*')
  t.match(await page.textContent('h1'), 'Failed')
  t.same(faults, [])
})

await t.test(
  'an empty company shows how to make the first entry; an empty result, how to clear the filters',
  async (t) => {
    const company = await service.makeCompany('Empty')
    const { page, faults } = await openPage(t, browser, service)
    await signIn(page, company, 'admin')
    t.match(
      await page.locator('#first-call').textContent(),
      `curl -sS '${service.address}/v1/employees' \\\n  -H 'x-api-id: ${company.key.api_id}'`,
    )
    t.notMatch(await page.content(), company.key.api_key)
    t.equal(await page.getByRole('link', { name: 'Clear the filters' }).count(), 0)
    t.same(await looksOf(page, LOGS), [])
    await twoCalls(company)
    await page.goto(`${LOGS}?q=nobody`)
    t.equal(await page.locator('#first-call').count(), 0)
    t.same(await looksOf(page, `${LOGS}?q=nobody`), [])
    await page.getByRole('link', { name: 'Clear the filters' }).click()
    await page.locator('.entries tbody tr').nth(1).waitFor()
    t.same(faults, [])
  },
)

await t.test('filters are in the address: they can be shared, cleared and undone with Back', async (t) => {
  await twoCalls(service.company, { first_name: 'Zoë' })
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.getByRole('link', { name: 'Failed 1', exact: true }).click()
  await page.waitForURL(`**${LOGS}?status=Failed`)
  t.strictSame(await page.locator('.entries tbody .badge').allTextContents(), ['Failed'])
  await page.getByRole('link', { name: 'Remove filter: Failed' }).click()
  await page.waitForURL(`**${LOGS}`)
  await page.getByLabel('Search').fill('zoë')
  await page.getByLabel('API key').selectOption(service.company.key.api_id)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.waitForURL(
    (url) => url.searchParams.get('q') === 'zoë' && url.searchParams.get('key') === service.company.key.api_id,
  )
  t.strictSame(await page.locator('.entries tbody .badge').allTextContents(), ['Completed'])
  const csv = new URL(
    `${service.address}${await page.getByRole('link', { name: 'Download list' }).getAttribute('href')}`,
  )
  const answer = await page.request.get(csv.href)
  t.equal((await answer.text()).trim().split('\r\n').length, 2, 'the CSV has the same filters')
  await page.goBack()
  await page.goBack()
  await page.waitForURL(`**${LOGS}?status=Failed`)
  t.strictSame(await page.locator('.entries tbody .badge').allTextContents(), ['Failed'])
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await page.waitForURL(`**${LOGS}`)
  t.equal(await page.locator('.entries tbody tr').count(), 2)
  t.same(faults, [])
})

await t.test("days are in the company's time zone", async (t) => {
  const company = await service.makeCompany('Kiritimati')
  await twoCalls(company)
  const at = (local: string) => [new Date(local), toUuid(company.id)]
  // 30 minutes before and after midnight at UTC+14.
  await service.pool.query(`update ${ENTRIES} set requested_at = $1 where company_id = $2`, at('2026-03-01T09:30:00Z'))
  await service.pool.query(
    `update ${ENTRIES} set requested_at = $1 where company_id = $2 and status = 'Failed'`,
    at('2026-03-01T10:30:00Z'),
  )
  await service.pool.query(`update ${HOURS} set hour = $1 where company_id = $2`, at('2026-03-01T09:00:00Z'))
  await service.pool.query(
    `insert into ${HOURS} select company_id, '2026-03-01T10:00:00Z', first_position, last_position from ${HOURS} where company_id = $1`,
    [toUuid(company.id)],
  )
  await service.pool.query(`update companies set time_zone = 'Pacific/Kiritimati' where company_id = $1`, [
    toUuid(company.id),
  ])
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, company, 'admin')
  const statuses = async (query: string) => {
    await page.goto(`${LOGS}?${query}`)
    return page.locator('.entries tbody .badge').allTextContents()
  }
  t.strictSame(await statuses('from=2026-03-02'), ['Failed'])
  t.match(await page.locator('.entries tbody time').textContent(), '2 Mar 2026, 00:30:00')
  t.equal(await page.getByLabel('From').inputValue(), '2026-03-02')
  t.strictSame(await statuses('to=2026-03-01'), ['Completed'])
  t.strictSame(await statuses('from=2026-03-01&to=2026-03-02'), ['Failed', 'Completed'])
  t.strictSame(await statuses('from=2026-03-01T23:31&to=2026-03-02T00:30'), [])
  t.strictSame(await statuses('from=2026-03-01T23:30&to=2026-03-02T00:31'), ['Failed', 'Completed'])
  t.equal(await page.getByLabel('To').inputValue(), '2026-03-02T00:31', 'a time of day stays in its field')
  t.same(faults, [])
})

await t.test('an invalid filter shows an error at its field, and lists nothing', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  const wrong = { from: '2026-02-30', to: 'soon', operation: 'open', key: 'key_1', q: 'x'.repeat(255) }
  for (const [name, value] of Object.entries(wrong)) {
    const answer = await page.goto(`${LOGS}?${name}=${value}`)
    t.equal(answer?.status(), 400, name)
    t.equal(await page.locator(`#${name}`).getAttribute('aria-invalid'), 'true', name)
    t.match(await page.locator(`#${name}-fault`).textContent(), /^[A-Z].* must /)
    t.equal(await page.locator('.entries tbody tr').count(), 0)
  }
  t.same(await looksOf(page, `${LOGS}?from=soon&to=later&status=open`), [])
  const nul = await page.goto(`${LOGS}?q=%00`)
  t.equal(nul?.status(), 400)
  t.same(faults, [])
})

await t.test('older and newer pages link to each other, also without scripts', async (t) => {
  const company = await service.makeCompany('Pages')
  for (let at = 0; at < 120; at += 1)
    await service.call('POST', '/v1/employees', { key: company.key, body: employee({ last_name: `No ${at}` }) })
  await service.project(company.id)
  const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled: false })
  await signIn(page, company, 'admin')
  const ids = () =>
    page.locator('.entries tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))
  const follow = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).click()
    return ids()
  }
  const first = await ids()
  const [second, third] = [await follow('Older'), await follow('Older')]
  t.strictSame([first.length, second.length, third.length], [50, 50, 20])
  t.equal(new Set([...first, ...second, ...third]).size, 120)
  t.notOk(await page.getByRole('link', { name: 'Older' }).isVisible())
  t.strictSame(await follow('Newer'), second)
  t.strictSame(await follow('Newer'), first)
  t.equal(new URL(page.url()).search, '', 'the newest page is the first one')
  await page.goto(`${LOGS}?status=Completed&q=no`)
  t.strictSame(await ids(), first)
  t.strictSame(await follow('Older'), second)
  t.strictSame(await follow('Newer'), first)
  t.match(page.url(), 'status=Completed&q=no')
  t.same(faults, [])
})

await t.test('a bar of the chart narrows the list to its day, then to its hour', async (t) => {
  const company = await service.makeCompany('Chart')
  // One call, so that there is one bar at any time of day.
  await service.call('POST', '/v1/employees', { key: company.key, body: employee({ email: 'no e-mail' }) })
  await service.project(company.id)
  const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled: false })
  await signIn(page, company, 'admin')
  const bar = page.getByRole('group', { name: /^Calls by/ }).getByRole('link')
  t.match(await bar.getAttribute('aria-label'), /^\d+ \w+, \d\d:00: 0 completed, 1 failed$/, 'the first week has hours')
  await page.getByRole('link', { name: '7 days', exact: true }).click()
  await page.waitForURL(/last=/)
  t.match(await bar.getAttribute('aria-label'), /^\d+ \w+: 0 completed, 1 failed$/)
  await bar.click()
  await page.waitForURL(/from=[-\d]+&to=[-\d]+$/)
  await bar.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/from=[-\d]+T\d\d%3A00&to=/)
  t.equal(await page.locator('.entries tbody tr').count(), 1)
  t.same(faults, [])
})

await t.test(
  '20 entries are visible at 1440 × 900; their whole rows are links, and the head stays in view',
  async (t) => {
    const company = await service.makeCompany('Dense')
    for (let at = 0; at < 40; at += 1)
      await service.call('POST', '/v1/employees', { key: company.key, body: employee() })
    await service.project(company.id)
    const { page, faults } = await openPage(t, browser, service, { viewport: { width: 1440, height: 900 } })
    await signIn(page, company, 'admin')
    const box = (locator: ReturnType<typeof page.locator>) => locator.boundingBox()
    const last = (await box(page.locator('.entries tbody tr').nth(19)))!
    t.ok(last.y + last.height <= 900, `${last.y + last.height} pixels`)
    await page.locator('.entries tbody tr').nth(35).scrollIntoViewIfNeeded()
    t.equal((await box(page.locator('.entries thead th').first()))!.y, 0)
    const row = page.locator('.entries tbody tr').nth(30)
    const id = await row.getAttribute('data-id')
    const { width } = (await box(row))!
    await row.click({ position: { x: width - 5, y: 5 } })
    await page.waitForURL(`**/${id}`)
    t.same(faults, [])
  },
)

await t.test('the list looks right in both color schemes and at every width', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  t.same(await looksOf(page, LOGS), [])
  t.same(await looksOf(page, `${LOGS}?status=Failed&last=24h&operation=create&q=${'wide'.repeat(60)}`), [])
  t.same(faults, [])
})

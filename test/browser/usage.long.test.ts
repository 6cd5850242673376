import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'
import { CALLS_BY_HOUR } from '../support/postgres/projection-tables.ts'

const browser = await openBrowser()
const USAGE = '/settings/usage'

await t.test('a company without calls sees a message and no chart', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(USAGE)
  t.ok(await page.getByRole('heading', { name: 'No calls in the last 30 days' }).isVisible())
  t.equal(await page.getByRole('img').count(), 0)
  t.same(await looksOf(page, USAGE), [])
  t.same(faults, [])
})

await t.test(
  'calls and records are drawn by outcome, by hour in the first week, with a table of the same numbers',
  async (t) => {
    const service = await startService(t)
    await service.call('POST', '/v1/employees', { body: [employee(), employee(), employee()] })
    await service.call('POST', '/v1/employees', { body: employee() })
    await service.call('POST', '/v1/employees', { body: [{}, {}] })
    await service.project()
    // Move some calls back by days: an hour is only a row of sums in the read model.
    await service.pool.query(
      `insert into ${CALLS_BY_HOUR} select company_id, key_id, hour - interval '20 days', operation, status, 1200, total, updated, deactivated, failed, no_updates from ${CALLS_BY_HOUR}`,
    )
    const { page, faults } = await openPage(t, browser, service)
    await signIn(page, service.company, 'admin')

    await page.goto(`${USAGE}?days=7`)
    t.equal(await page.getByRole('link', { name: '7 days' }).getAttribute('aria-current'), 'true')
    const byHour = page.getByRole('img', { name: 'Calls by hour and outcome' })
    t.match(
      await byHour.locator('desc').textContent(),
      /^[12] hours?: 2 completed, 1 failed\. Most on .+\d\d:00: \d\.$/,
    )
    t.ok(await page.getByRole('table', { name: /by hour and outcome/ }).isVisible())

    await page.getByRole('link', { name: '30 days' }).click()
    await page.waitForURL('**/settings/usage?days=30')
    const rows = page.getByRole('table', { name: /by day and outcome/ }).locator('tbody tr')
    t.same(await rows.first().locator('td').allTextContents(), ['2', '1', '4', '2'])
    const chart = page.getByRole('img', { name: 'Calls by day and outcome' })
    t.match(await chart.locator('desc').textContent(), /^21 days: 1,202 completed, 1,201 failed\. Most on .+: 2,400\.$/)
    t.equal(await rows.count(), 2)
    const totals = page.getByRole('table', { name: 'Calls and records of the last' })
    t.same(await totals.getByRole('row', { name: 'Calls failed' }).locator('td').allTextContents(), ['1,201'])
    t.same(await looksOf(page, `${USAGE}?days=30`), [])
    t.same(await rows.nth(1).locator('td').allTextContents(), ['1,200', '1,200', '4', '2'], 'newest first')
    for (const path of [`${USAGE}?days=7`, `${USAGE}?days=90`]) t.same(await looksOf(page, path), [])
    t.same(faults, [])
  },
)

await t.test('each key that is not revoked is listed with its use and quota, its name as text', async (t) => {
  const service = await startService(t)
  const hostile = '<img src=x onerror=alert(1)>'
  const { body: issued } = await service.manage('POST', '/api-keys', {
    name: hostile,
    quota_limit: 4,
    refresh_period: 'monthly',
  })
  for (let at = 0; at < 3; at += 1)
    await service.call('GET', '/v1/employees', { key: { api_id: issued.id, api_key: issued.api_key } })
  const { body: gone } = await service.manage('POST', '/api-keys', {
    name: 'Gone',
    quota_limit: 1,
    refresh_period: 'monthly',
  })
  await service.manage('POST', `/api-keys/${gone.id}/revoke`)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(USAGE)
  const quotas = page.getByRole('table', { name: /quota/ }).locator('tbody tr')
  t.equal(await quotas.count(), 2)
  t.match(
    await quotas.first().textContent(),
    new RegExp(`${hostile.replace(/[()]/g, '\\$&')}.*75 %.*3.*4.*monthly`, 's'),
  )
  t.notMatch(await page.textContent('main'), 'Gone')
  t.same(faults, [])
})

await t.test('an unsupported range is a 400 that lists the supported ones', async (t) => {
  const service = await startService(t)
  const { page } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const days of ['8', '', 'x', '-7', '1e9']) {
    const answer = await page.goto(`${USAGE}?days=${days}`)
    t.equal(answer!.status(), 400, days)
  }
  t.match(await page.textContent('main'), 'must be one of 7, 30, 90')
})

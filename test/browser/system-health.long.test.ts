import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { recordFailure } from '../../src/workers/checkpoints.ts'
import { catchUp, UnfoldableError } from '../../src/workers/project.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { eventually } from '../support/eventually.ts'
import type { Service, TestCompany } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'

const browser = await openBrowser()
const HEALTH = '/settings/health'
const MARKUP = '<b id=hostile>unreadable</b>'

/** Stores an unreadable event and folds until its company is parked. Returns the event's position. */
async function park(service: Service, company: TestCompany): Promise<number> {
  const { headers } = await service.call('POST', '/v1/employees', { body: employee(), key: company.key })
  const position = Number(headers['x-ledger-position'])
  await asSuperuser(
    service.urls.superUrl,
    `update events set type = '${MARKUP}' where position = ${position} and company_id = '${toUuid(company.id)}'`,
  )
  await eventually('it is parked', async () => {
    // Make the next retry due at once.
    await service.pool.query('update checkpoints set next_try_at = null where parked_at is null')
    const fault: unknown = await catchUp(service.db, bulkUserLogs, company.id).catch((error: unknown) => error)
    if (fault instanceof UnfoldableError && fault.checkpoint) {
      await recordFailure(service.db, bulkUserLogs, company.id, fault.checkpoint, fault.message)
    }
    return isParked(service, company)
  })
  return position
}

async function isParked({ pool }: Service, company: TestCompany): Promise<boolean> {
  const { rows } = await pool.query(
    'select 1 from checkpoints where parked_at is not null and projection = $1 and company_id = $2',
    [bulkUserLogs.name, toUuid(company.id)],
  )
  return rows.length > 0
}

const heal = (service: Service) =>
  asSuperuser(service.urls.superUrl, `update events set type = 'ApiCallCompleted' where type = '${MARKUP}'`)

await t.test("the lag and the ledger's head of the company are shown, and nothing of the operator's", async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await service.project()
  await page.goto(HEALTH)
  const own = page.getByRole('table', { name: /each list/ })
  t.match(await own.textContent(), /Employees.*Up to date.*Bulk User Logs.*Up to date/s)
  await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  await page.getByRole('link', { name: 'Refresh' }).click()
  await own.getByText('Catching up').first().waitFor()
  t.equal(
    await own.locator('td[data-label="Events behind"]').first().textContent(),
    '3',
    'two employees and their call',
  )
  const { rows } = await service.pool.query(
    'select position, (select count(*)::integer from events) as events from heads',
  )
  t.match(await page.locator('main').textContent(), new RegExp(`Events\\s*${rows[0].position}\\s`))
  t.notMatch(await page.locator('main').innerText(), /PostgreSQL|Node\.js|[Qq]ueue|[Cc]ompanies/)
  t.same(await looksOf(page, HEALTH), [])
  t.same(faults, [])
})

for (const javaScriptEnabled of [true, false]) {
  await t.test(`an administrator resumes their parked company (script: ${javaScriptEnabled})`, async (t) => {
    const service = await startService(t)
    const position = await park(service, service.company)
    // The workers start here, because earlier they could fold the event while it is still readable. No later sweep is
    // needed: resuming a projection wakes it.
    await startService(t, { SWEEP_INTERVAL_MS: '3600000' }, { workers: true, urls: service.urls })
    await eventually('a worker that starts has tried it once more', () => isParked(service, service.company))
    const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
    await signIn(page, service.company, 'admin')
    await page.goto(HEALTH)
    const parked = page.getByRole('region', { name: 'Bulk User Logs has stopped' })
    t.match(await parked.textContent(), `the event at position ${position} is of the unknown type ${MARKUP}`)
    t.equal(await page.locator('#hostile').count(), 0, 'the error is text')
    if (javaScriptEnabled) t.same(await looksOf(page, HEALTH), [])
    await heal(service)
    await parked.getByRole('button', { name: 'Resume Bulk User Logs' }).click()
    await page.waitForURL('**/settings/health?done=resumed')
    t.match(await page.getByRole('status').textContent(), 'resumed from where it stopped')
    await eventually('its events are folded', async () => {
      const { rows } = await service.pool.query(
        'select 1 from checkpoints where projection = $1 and position >= $2 and parked_at is null',
        [bulkUserLogs.name, position],
      )
      return rows.length > 0
    })
    await page.goto(HEALTH)
    t.equal(await parked.count(), 0)
    t.same(faults, [])
  })
}

await t.test('other companies do not appear, and only they can resume themselves', async (t) => {
  const service = await startService(t)
  const other = await service.makeCompany('Secretive Limited')
  await park(service, other)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(HEALTH)
  const text = (await page.locator('main').textContent())!
  for (const secret of [other.name, other.id, 'unknown type']) t.notOk(text.includes(secret), secret)
  const resumed = await page.request.post(`${service.address}${HEALTH}/resume`, {
    form: { projection: 'bulk-user-logs' },
    headers: { origin: service.address, 'sec-fetch-site': 'same-origin' },
  })
  t.match(resumed.url(), 'done=not-parked')
  const { rows } = await service.pool.query('select 1 from checkpoints where parked_at is not null')
  t.ok(rows.length > 0, 'it is still parked')
  const unknown = await page.request.post(`${service.address}${HEALTH}/resume`, {
    form: { projection: 'x' },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  t.equal(unknown.status(), 404)
  const foreign = await page.request.post(`${service.address}${HEALTH}/resume`, {
    form: { projection: 'employees' },
    headers: { 'sec-fetch-site': 'cross-site' },
  })
  t.equal(foreign.status(), 403, 'a page of another site resumes nothing')
  t.same(faults, [])
})

await t.test('the page refreshes itself while it is watched, but not while it is worked in', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await service.project()
  let fetched = 0
  page.on('request', (request) => (fetched += request.resourceType() === 'fetch' ? 1 : 0))
  await page.clock.install()
  await page.goto(HEALTH)
  const behind = page
    .getByRole('table', { name: /each list/ })
    .locator('td[data-label="Events behind"]')
    .first()
  t.equal(await behind.textContent(), '0')
  await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  await page.clock.fastForward(10_000)
  await behind.getByText('3', { exact: true }).waitFor()
  t.equal(await page.locator('#report').count(), 1)
  await page.locator('#report time').focus()
  await service.project()
  await page.clock.fastForward(60_000)
  t.equal(await behind.textContent(), '3', 'nothing disappears from under the keyboard')
  await page.getByRole('link', { name: 'Refresh' }).focus()
  await page.clock.fastForward(10_000)
  await behind.getByText('0', { exact: true }).waitFor()
  t.ok(fetched >= 2)
  t.same(faults, [])
})

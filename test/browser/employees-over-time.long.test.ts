import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'

const browser = await openBrowser()
const EMPLOYEES = '/settings/employees'
const HOSTILE = '"><script>alert(1)</script>'

/** Creates, changes and deactivates an employee. Returns the positions of the first two events. */
async function withLife() {
  const service = await startService(t)
  const at = (headers: Record<string, string>, before: number) => Number(headers['x-ledger-position']) - before
  const sent = employee({
    first_name: HOSTILE,
    last_name: 'Lovelace',
    external_id: 'E-1',
    custom_attributes: { '<b>grade': 'n'.repeat(400) },
  })
  const made = await service.call('POST', '/v1/employees', { body: sent })
  const { id, email } = made.body.employees[0]
  const changed = await service.call('PATCH', `/v1/employees/${id}`, {
    body: { job_title: 'Lead', custom_attributes: { '<b>grade': null } },
  })
  await service.call('PATCH', `/v1/employees/${id}`, { body: { status: 'inactive' } })
  await service.call('POST', '/v1/employees', { body: employee({ last_name: 'Lovelace', manager_id: id }) })
  await service.project()
  return {
    service,
    id,
    email,
    logId: changed.body.log_id,
    created: at(made.headers, 1),
    updated: at(changed.headers, 1),
  }
}

const { service, id, email, logId, created, updated } = await withLife()

await t.test(
  'an auditor finds an employee and steps through their history, with the event behind each attribute',
  async (t) => {
    const { page, faults } = await openPage(t, browser, service)
    page.on('dialog', () => t.fail('an injected script has run'))
    await signIn(page, service.company, 'auditor')
    await page.getByRole('navigation', { name: 'Company Settings' }).getByRole('link', { name: 'Employees' }).click()
    await page.getByLabel('Employee', { exact: true }).fill('lovelace')
    await page.getByRole('button', { name: 'Search' }).click()
    t.equal(await page.locator('tbody tr').count(), 2)
    await page.getByRole('link', { name: HOSTILE }).click()
    await page.waitForURL(`**${EMPLOYEES}/${id}`)
    t.equal(await page.locator('h1').textContent(), `${HOSTILE} Lovelace`)

    const value = (name: string) =>
      page.locator('.values tr').filter({ has: page.getByRole('rowheader', { name, exact: true }) })
    const history = page.locator('.stream .what')
    const steps = page.getByRole('navigation', { name: 'Steps in time' })
    t.match(
      await history.first().innerText(),
      /^Status: .*active → .*inactive, by HR sync/s,
      'newest first, on opening',
    )
    t.match(await history.last().innerText(), /^Created as/)
    t.match(await value('Status').innerText(), 'inactive')
    t.equal(await value('Job title').getByRole('link').getAttribute('href'), `/settings/events/${updated}`)
    t.match(await value('Email').innerText(), email)
    t.equal(await value('<b>grade').count(), 0, 'it was removed')

    const attributes = page.getByRole('navigation', { name: 'Attribute' })
    await attributes.getByRole('link', { name: 'Job title' }).click()
    await page.waitForURL('**attribute=job_title')
    t.equal(await history.count(), 1)
    t.match(await history.first().innerText(), /^Job title: .*not set → .*Lead, by HR sync/s)
    await attributes.getByRole('link', { name: 'All' }).click()
    await page.waitForURL(`**${EMPLOYEES}/${id}`)

    await steps.getByRole('link', { name: 'Previous event' }).click()
    await page.waitForURL(`**?at=${updated}`)
    t.match(await value('Status').innerText(), /active/)
    t.notMatch(await history.first().innerText(), 'Status')
    await steps.getByRole('link', { name: 'Previous event' }).click()
    await page.waitForURL(`**?at=${created}`)
    t.match(await value('Job title').innerText(), 'not set')
    t.equal(await value('<b>grade').count(), 1)
    await steps.getByRole('link', { name: 'Previous event' }).click()
    await page.getByText('Not created yet').waitFor()
    t.equal(await page.locator('.values').count(), 0)
    await steps.getByRole('link', { name: 'Next event' }).click()
    await page.waitForURL(`**?at=${created}`)
    await steps.getByRole('link', { name: 'Now', exact: true }).click()
    await page.waitForURL(`**${EMPLOYEES}/${id}`)
    t.equal(await steps.getByRole('link', { name: 'Next event' }).count(), 0)

    await page.getByRole('link', { name: 'Show as stored' }).click()
    await page.waitForURL('**view=raw')
    t.strictSame(await page.locator('.events td[data-label="Type"]').allTextContents(), [
      'EmployeeDeactivated',
      'EmployeeUpdated',
      'EmployeeCreated',
    ])
    t.equal(
      await page.locator('main a[href*="/bulk-user-logs"], main a[href$="/erase"]').count(),
      0,
      'these are for administrators',
    )
    t.same(faults, [])
  },
)

await t.test('a moment can be a position, an instant, or a local time', async (t) => {
  await service.manage('PATCH', '/company', { time_zone: 'Asia/Tokyo' })
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  await page.goto(`${EMPLOYEES}/${id}`)
  await page.getByLabel('Or event').fill(String(created))
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL(`**?at=${created}`)
  t.equal(await page.getByLabel('Or event').inputValue(), String(created))

  // Asia/Tokyo is UTC+9: by its clock the employee was there all day, by UTC for less than ten hours.
  const localTime = (hoursAgo: number) => new Date(Date.now() + (9 - hoursAgo) * 3_600_000).toISOString().slice(0, 16)
  await page.getByLabel('Date and time').fill(localTime(10))
  await page.getByLabel('Or event').fill('')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL('**?at=20**')
  t.equal(await page.getByText('Not created yet').count(), 1)
  await page.goto(`${EMPLOYEES}/${id}?at=${new Date().toISOString()}`)
  t.match(await page.locator('.facts').innerText(), 'Inactive')

  for (const at of ['999999', 'soon', '2999-01-01T00:00', '2026-02-30T00:00', '-1', '0x1']) {
    t.equal((await page.goto(`${EMPLOYEES}/${id}?at=${at}`))?.status(), 400, at)
    t.equal(await page.getByRole('alert').count(), 1)
    t.ok((await page.locator('.stream tbody tr').count()) > 2, 'the history stays')
  }
  t.equal((await page.goto(`${EMPLOYEES}?q=${'x'.repeat(300)}`))?.status(), 422)
  t.equal((await page.goto(`${EMPLOYEES}?q=%00`))?.status(), 422)
  t.same(faults, [])
})

await t.test('events, records and the e-mail search lead to the employee', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(`/settings/bulk-user-logs/${logId}`)
  await page.locator(`.record a[href="${EMPLOYEES}/${id}"]`).click()
  await page.waitForURL(`**${EMPLOYEES}/${id}`)
  t.equal(
    (await page.locator(`main a[href="/settings/bulk-user-logs/${logId}"]`).count()) > 0,
    true,
    'and back to the call',
  )
  await page.goto(`/settings/events/${updated}`)
  await page.getByRole('link', { name: id }).click()
  await page.waitForURL(`**${EMPLOYEES}/${id}?at=${updated}`)
  for (const q of [id, email, 'E-1']) {
    await page.goto(`${EMPLOYEES}?q=${encodeURIComponent(q)}`)
    t.equal(new URL(page.url()).pathname, `${EMPLOYEES}/${id}`, q)
  }
  t.same(faults, [])
})

await t.test("another company's employees and unknown ids are not found", async (t) => {
  const other = await service.makeCompany('Other')
  const { page } = await openPage(t, browser, service)
  await signIn(page, other, 'auditor')
  for (const path of [id, `${id}?at=1`, 'emp_01h455vb4pex5vsknk084sn02q', 'x', logId]) {
    t.equal((await page.goto(`${EMPLOYEES}/${path}`))?.status(), 404, path)
  }
  await page.goto(`${EMPLOYEES}?q=lovelace`)
  await page.getByRole('heading', { name: 'No matching employees' }).waitFor()
})

await t.test('the pages look right in both color schemes and at every width', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const path of [
    '',
    '?q=lovelace',
    '?q=nobody',
    `/${id}`,
    `/${id}?at=${created}`,
    `/${id}?at=1`,
    `/${id}?at=soon`,
    `/${id}?attribute=department`,
  ])
    t.same(await looksOf(page, EMPLOYEES + path), [])
  t.same(faults, [])
})

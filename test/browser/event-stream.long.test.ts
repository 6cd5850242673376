import t from 'tap'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'
import { ERASE } from '../support/ledger/event-row.ts'
import { deriveEnvelope } from '../../src/ledger/integrity/codec.ts'

const browser = await openBrowser(t)
const EVENTS = '/settings/events'
const HOSTILE = '</pre><script>alert(1)</script><img src=x onerror="alert(2)">'

await t.test('an auditor reads who did what to whom, with the data', async (t) => {
  const service = await startService(t)
  const { body } = await service.call('POST', '/v1/employees', { body: employee({ job_title: HOSTILE.slice(0, 120) }) })
  const [{ id }] = body.employees
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  t.equal(new URL(page.url()).pathname, EVENTS, "it is an auditor's first page")
  const events = page.locator('.events tbody')
  t.match(
    await events.first().textContent(),
    new RegExp(`ApiCallCompleted.*${body.log_id}.*HR sync`, 's'),
    'newest first',
  )
  t.match(await events.nth(1).textContent(), new RegExp(`EmployeeCreated.*${id}`, 's'))
  t.match(await events.last().textContent(), /CompanyRegistered.*the command line/s)

  await events.nth(1).getByText('Data').first().click()
  t.match(JSON.parse((await events.nth(1).locator('pre').textContent())!), {
    attributes: { job_title: HOSTILE.slice(0, 120) },
  })
  t.equal(await page.locator('main script, main img').count(), 0, 'it is text')
  t.equal(await page.locator(`main a[href^="/settings/bulk-user-logs"]`).count(), 0, 'entries are for administrators')
  t.equal(await page.getByRole('link', { name: 'Export all events' }).getAttribute('href'), '/audit/v1/events')
  for (const path of [EVENTS, `${EVENTS}/2`]) t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

await t.test('events are found by type, by subject, and from a position', async (t) => {
  const service = await startService(t)
  const { body } = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  const [{ id }] = body.employees
  await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Lead' } })
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  const types = () => page.locator('.events td[data-label="Type"]').allTextContents()
  const positions = () => page.locator('.events th[scope="row"]').allTextContents()

  await page.goto(EVENTS)
  await page.getByLabel('Id').fill(id)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/id=emp_/)
  t.strictSame(await types(), ['EmployeeUpdated', 'EmployeeCreated'])

  await page.goto(`${EVENTS}?id=${body.log_id}`)
  t.strictSame(await types(), ['ApiCallCompleted', 'EmployeeCreated', 'EmployeeCreated'], 'all events of a call')
  t.equal(
    await page.locator(`main a[href="/settings/bulk-user-logs/${body.log_id}"]`).count(),
    3,
    "an administrator can open the call's entry",
  )

  await page.goto(EVENTS)
  await page.getByLabel('Type').selectOption('EmployeeUpdated')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/type=EmployeeUpdated/)
  t.strictSame(await types(), ['EmployeeUpdated'])

  await page.goto(`${EVENTS}?position=2`)
  t.strictSame(await positions(), ['2', '1'])
  await page.goto(`${EVENTS}?type=UserErased`)
  t.ok(await page.getByRole('heading', { name: 'No matching events' }).isVisible())

  for (const query of [
    'type=Nothing',
    'id=emp_x',
    'id=tok_01h455vb4pex5vsknk084sn02q',
    'position=0',
    'position=-1',
    'newer_from=x',
  ]) {
    t.equal((await page.goto(`${EVENTS}?${query}`))!.status(), 400, query)
  }
  t.same(faults, [])
})

await t.test('paging back and forth passes every event once, also with a filter', async (t) => {
  const service = await startService(t)
  for (let at = 0; at < 3; at += 1)
    await service.call('POST', '/v1/employees', { body: Array.from({ length: 40 }, () => employee()) })
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  const positions = async () => (await page.locator('.events th[scope="row"]').allTextContents()).map(Number)
  for (const [query, where] of [
    ['', 'true'],
    ['?type=EmployeeCreated', `type = 'EmployeeCreated'`],
  ] as const) {
    const { rows } = await service.pool.query<{ position: number }>(
      `select position from events where ${where} order by position desc`,
    )
    const all = rows.map(({ position }) => position)
    await page.goto(EVENTS + query)
    const pages = [await positions()]
    const older = page.getByRole('link', { name: 'Older' })
    while ((await older.count()) > 0) {
      const address = await older.getAttribute('href')
      await older.click()
      await page.waitForURL(`**${address}`)
      pages.push(await positions())
    }
    t.strictSame(pages.flat(), all)
    t.ok(pages.length >= 3)
    for (const before of pages.slice(0, -1).toReversed()) {
      const newer = page.getByRole('link', { name: 'Newer' })
      const address = await newer.getAttribute('href')
      await newer.click()
      await page.waitForURL(`**${address}`)
      t.strictSame((await positions()).slice(-1), before.slice(-1), 'the next page follows')
    }
  }
  t.same(faults, [])
})

await t.test("an event's page has its envelope, data and hashes, and recomputes the hashes", async (t) => {
  const service = await startService(t)
  const { headers } = await service.call('POST', '/v1/employees', { body: employee() })
  const position = Number(headers['x-ledger-position'])
  const { rows } = await service.pool.query(
    'select * from events where position = $1 and company_id = (select company_id from companies)',
    [position],
  )
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  await page.goto(`${EVENTS}/${position}`)
  const envelope = deriveEnvelope(rows[0])
  t.equal(await page.locator('#envelope').textContent(), envelope, 'the exact text that was hashed')
  const text = (await page.locator('main').textContent())!
  for (const part of [rows[0].leaf_hash.toString('hex'), rows[0].salt.toString('hex'), JSON.parse(envelope).data_hash])
    t.ok(text.includes(part))
  t.equal(await page.getByText('Matches').count(), 1)

  await asSuperuser(
    service.urls.superUrl,
    `update events set data = replace(data, '"total":1', '"total":2') where position = ${position}`,
  )
  await page.goto(`${EVENTS}/${position}`)
  t.equal(await page.getByText('Does not match').count(), 1, 'tampered data')
  await asSuperuser(service.urls.superUrl, `update events set ${ERASE} where position = ${position}`)
  await page.goto(`${EVENTS}/${position}`)
  t.match(await page.textContent('main'), 'data and salt were permanently deleted')
  await page.goto(`${EVENTS}?position=${position}`)
  t.match(await page.locator('.events tbody').first().textContent(), 'Data: erased')
  t.same(await looksOf(page, `${EVENTS}/${position}`), [])
  t.same(faults, [])
})

await t.test('an unreadable event is shown as it is stored', async (t) => {
  const service = await startService(t)
  const { headers } = await service.call('POST', '/v1/employees', { body: employee() })
  const position = Number(headers['x-ledger-position'])
  await asSuperuser(
    service.urls.superUrl,
    `update events set type = '${HOSTILE}' where position = ${position}`,
    `update events set data = '${HOSTILE}' where position = ${position - 1}`,
  )
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  await page.goto(EVENTS)
  t.match(await page.locator('.events tbody').first().textContent(), "can't read this event")
  await page.goto(`${EVENTS}/${position}`)
  t.match(await page.locator('.alert').textContent(), HOSTILE)
  await page.goto(`${EVENTS}/${position - 1}`)
  t.equal(await page.locator('main pre').first().textContent(), HOSTILE)
  t.same(faults, [])
})

await t.test("another company's events and impossible positions are not found", async (t) => {
  const service = await startService(t)
  const other = await service.makeCompany('Other')
  const { body } = await service.call('POST', '/v1/employees', {
    body: employee({ last_name: 'Theirs' }),
    key: other.key,
  })
  const { page } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  for (const id of [body.employees[0].id, body.log_id, other.id]) {
    await page.goto(`${EVENTS}?id=${id}`)
    t.ok(await page.getByRole('heading', { name: 'No matching events' }).isVisible())
  }
  for (const position of ['0', '999', 'x', '1e3', '-1', '9'.repeat(40)]) {
    t.equal((await page.goto(`${EVENTS}/${position}`))!.status(), 404, position)
  }
})

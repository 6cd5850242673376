import { text } from 'node:stream/consumers'
import t from 'tap'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'
import { ERASE } from '../support/ledger/event-row.ts'
import { deriveEnvelope } from '../../src/ledger/integrity/codec.ts'

const browser = await openBrowser()
const EVENTS = '/settings/events'
const HOSTILE = '</pre><script>alert(1)</script><img src=x onerror="alert(2)">'

await t.test('an auditor reads who did what to whom, in sentences and as stored', async (t) => {
  const service = await startService(t)
  const { body } = await service.call('POST', '/v1/employees', { body: employee({ job_title: HOSTILE.slice(0, 120) }) })
  const [{ id }] = body.employees
  await service.project()
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  t.equal(new URL(page.url()).pathname, EVENTS, "it is an auditor's first page")
  const told = page.locator('.stream tbody tr')
  t.match(await told.first().innerText(), /auditor signed in with a password/, 'newest first')
  t.match(await told.nth(1).innerText(), /HR sync created 1 employee/)
  t.match(await told.nth(2).innerText(), /HR sync created Ana Pérez/)
  t.match(await told.last().innerText(), /The command line registered the company Acme/)

  await page.getByRole('link', { name: 'Show as stored' }).click()
  await page.waitForURL('**view=raw')
  const events = page.locator('.events tbody')
  t.match(await events.nth(2).textContent(), new RegExp(`EmployeeCreated.*${id}`, 's'))
  await events.nth(2).getByText('Data').first().click()
  t.match(JSON.parse((await events.nth(2).locator('pre').textContent())!), {
    attributes: { job_title: HOSTILE.slice(0, 120) },
  })
  t.equal(await page.locator('main script, main img').count(), 0, 'it is text')
  t.equal(await page.locator(`main a[href^="/settings/bulk-user-logs"]`).count(), 0, 'entries are for administrators')
  t.equal(await page.getByRole('link', { name: 'Download all events' }).getAttribute('href'), '/audit/v1/events')
  for (const path of [EVENTS, `${EVENTS}?view=raw`, `${EVENTS}?q=ana&from=soon`, `${EVENTS}/2`])
    t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `events are narrowed by kind, actor and text ${javaScriptEnabled ? 'with' : 'without'} scripts`,
    async (t) => {
      const service = await startService(t)
      const key = (await service.manage('POST', '/api-keys', { name: 'Test' })).body
      await service.manage('POST', `/api-keys/${key.id}/revoke`)
      await service.call('POST', '/v1/employees', { body: [employee({ department: 'Finance' }), employee()] })
      await service.project()
      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
      await signIn(page, service.company, 'admin')
      const told = page.locator('.stream tbody .what')

      await page.goto(EVENTS)
      await page.getByRole('navigation', { name: 'Kind of event' }).getByRole('link', { name: 'API keys' }).click()
      await page.waitForURL('**type=keys')
      t.match(await told.first().innerText(), /admin revoked key Test/)
      await told.first().getByRole('link', { name: 'admin' }).click()
      await page.waitForURL('**actor=usr_**')
      t.equal(await told.count(), 3, 'everything that the administrator did')
      t.equal(await page.getByLabel('By').inputValue(), service.company.admin.user_id)

      await page.goto(EVENTS)
      await page.getByLabel('Text').fill('finance')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.waitForURL('**q=finance**')
      t.equal(await told.count(), 1)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download these' }).click(),
      ])
      t.equal((await text(await file.createReadStream())).trim().split('\n').length, 1, 'the export has the same event')
      t.same(faults, [])
    },
  )
}

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
  const shown = (await page.locator('main').textContent())!
  for (const part of [rows[0].leaf_hash.toString('hex'), rows[0].salt.toString('hex'), JSON.parse(envelope).data_hash])
    t.ok(shown.includes(part))
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
  await page.goto(`${EVENTS}?view=raw&position=${position}`)
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
  t.match(await page.locator('.stream tbody tr').nth(1).textContent(), "can't read this event")
  t.match(await page.locator('.stream tbody tr').nth(2).textContent(), '(unreadable data)')
  await page.goto(`${EVENTS}?view=raw`)
  t.match(await page.locator('.events tbody').nth(1).textContent(), "can't read this event")
  await page.goto(`${EVENTS}/${position}`)
  t.strictSame(await page.locator('.facts dd').allTextContents(), [`${position}`, HOSTILE])
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

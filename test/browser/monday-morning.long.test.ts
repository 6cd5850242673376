import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'

const HOOKS = ['https://hr.example.com/events', 'https://payroll.example.com/events']

await t.test('on Monday morning, the first page says what is wrong, and one click leads to each cause', async (t) => {
  const service = await startService(t)
  const { company, pool } = service
  // At night, three calls of the sync failed, a key used up its quota, and the receivers of two webhooks went away.
  for (let count = 1; count <= 3; count += 1)
    await service.call('POST', '/v1/employees', { body: [employee(), { ...employee(), phone: '12' }] })
  const { body: badges } = await service.manage('POST', '/api-keys', { name: 'Badge printer', quota_limit: 1 })
  const key = { api_id: badges.id as string, api_key: badges.api_key as string }
  await service.call('POST', '/v1/employees', { body: employee(), key })
  const webhooks: string[] = []
  for (const url of HOOKS) {
    const { body } = await service.manage('POST', '/webhooks', { url, types: ['employee.created'] })
    webhooks.push(body.id)
  }
  await pool.query(
    `update webhook_progress set failing_since = statement_timestamp() - interval '14 hours', error = 'The receiver answered 503'
     where webhook_id = any($1::uuid[])`,
    [webhooks.map(toUuid)],
  )
  await service.project()

  // She signs in, and clicks nothing.
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, company, 'admin')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  const lines = (await attention.getByRole('listitem').allInnerTexts()).map((line) => line.replace(/\s+/g, ' '))
  t.equal(lines.length, 4)
  for (const url of HOOKS)
    t.ok(
      lines.some((line) => line.includes(url) && /has failed for 14 h.*503.*Check the receiver/.test(line)),
      url,
    )
  t.ok(lines.some((line) => /^Badge printer: 1 of 1 calls are used\. .*Raise the quota/.test(line)))
  t.ok(lines.some((line) => / in 3 calls failed since yesterday: records are not valid\./.test(line)))
  const navigation = page.getByRole('navigation', { name: 'Company Settings' })
  const counts = await navigation.locator('[title="Needs attention"]').allInnerTexts()
  t.strictSame(counts.map((count) => count.replace(/\D/g, '')).toSorted(), ['1', '1', '2'])

  // One click leads to each cause.
  const follow = async (name: string) => {
    await page.goto('/settings/bulk-user-logs')
    await attention.getByRole('link', { name }).first().click()
  }
  await follow(HOOKS[0]!)
  t.match(await page.locator('main').innerText(), 'the receiver answered 503')
  await follow('Badge printer')
  t.match(await page.locator('main').innerText(), 'Quota used up')
  await follow(company.key.name)
  t.equal(await page.locator('h1').innerText(), 'Refused records')
  t.equal(await page.locator('tbody tr').count(), 1)

  t.strictSame(await looksOf(page, '/settings/bulk-user-logs'), [])

  // The receivers come back on Thursday: she puts these off.
  await page.goto('/settings/bulk-user-logs')
  await attention.getByRole('link', { name: `Snooze ${HOOKS[0]}` }).click()
  t.strictSame(await looksOf(page, page.url()), [])
  await page.getByLabel('Reason').fill('   ')
  await page.getByRole('button', { name: 'Snooze' }).click()
  t.ok(await page.getByRole('alert').evaluate((alert) => alert === alert.ownerDocument.activeElement), 'has the focus')
  t.match(await page.title(), /^Error: Snooze/)
  t.equal(await navigation.locator('[title="Needs attention"]').count(), 3, 'the badges stay')
  await page.getByLabel('Reason').fill('The receiver is away until Thursday')
  await page.getByRole('button', { name: 'Snooze' }).click()
  await attention.getByRole('link', { name: '1 problem snoozed' }).click()
  t.strictSame(await looksOf(page, '/settings/attention'), [])
  await page.getByRole('button', { name: 'Show again' }).click()
  t.match(await page.locator('main').innerText(), 'No problem is snoozed.')
  t.strictSame(faults, [])
})

await t.test('what was mended is gone from the first page, and in the end all is well', async (t) => {
  const service = await startService(t)
  await service.call('POST', '/v1/employees', { body: employee() })
  await service.project()
  await service.manage('PATCH', `/api-keys/${service.company.key.api_id}`, { quota_limit: 1 })
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, service.company, 'admin')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByRole('link').first().click()
  await page.getByLabel('Quota').first().fill('1000')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.goto('/settings/bulk-user-logs')
  t.match(await page.locator('main').innerText(), /All well\. Last call: .*, 1 record\./)
  t.equal(await attention.count(), 0)
  t.strictSame(faults, [])
})

import t from 'tap'
import { looksOf, looksOfAnswer, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'
import { rowsWith } from '../support/postgres/rows-with.ts'

const browser = await openBrowser()
const EMPLOYEES = '/settings/employees'

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `an administrator erases an employee after typing the email${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const service = await startService(t)
      const made = await service.call('POST', '/v1/employees', {
        body: employee({ first_name: 'Forgotten', custom_attributes: { note: 'Forgotten' } }),
      })
      const { id, email } = made.body.employees[0]
      await service.call('PATCH', `/v1/employees/${id}`, { body: { last_name: 'Forgotten' } })
      await service.project()
      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
      await signIn(page, service.company, 'admin')
      await page.goto(`${EMPLOYEES}/${id}`)
      await page.getByRole('link', { name: 'Erase person…' }).click()
      await page.getByRole('link', { name: 'Cancel' }).click()
      await page.getByRole('link', { name: 'Erase person…' }).click()
      t.match(await page.locator('main .facts').innerText(), email)
      const typed = page.getByLabel(`Type ${email} to confirm`)
      await typed.fill('somebody.else@example.com')
      await page.getByRole('button', { name: 'Erase person' }).click()
      t.match(await page.locator('#typed-fault').textContent(), "This doesn't match. Nothing was deleted.")
      t.match((await service.call('GET', `/v1/employees/${id}`)).status, 200)

      await typed.fill(email.toUpperCase())
      await page.getByRole('button', { name: 'Erase person' }).click()
      await page.waitForURL(`**${EMPLOYEES}/${id}?done=erased`)
      t.match(await page.getByRole('status').textContent(), 'Person erased.')
      t.equal(await page.locator('h1').textContent(), 'Erased person')
      t.equal(await page.getByRole('link', { name: 'Erase person…' }).count(), 0)
      t.match(await page.locator('.stream tbody tr').first().innerText(), /Erased, by admin/)
      await page.getByRole('link', { name: 'Show as stored' }).click()
      await page.waitForURL('**view=raw')
      t.strictSame(await page.locator('.events td[data-label="Type"]').allTextContents(), [
        'EmployeeErased',
        'EmployeeUpdated',
        'EmployeeCreated',
      ])
      t.match(
        await page.locator('.events tbody').first().innerText(),
        service.company.admin.user_id,
        'it says who did it',
      )
      await page.goto(`${EMPLOYEES}/${id}?at=${Number(made.headers['x-ledger-position'])}`)
      t.equal(await page.locator('h1').textContent(), 'Erased person', 'nor is the name shown for the past')
      await service.project()
      t.strictSame(await rowsWith(service.urls.superUrl, ['Forgotten']), [])
      const again = await page.request.post(`${service.address}${EMPLOYEES}/${id}/erase`, {
        form: { typed: id },
        headers: { 'sec-fetch-site': 'same-origin' },
      })
      t.equal(again.status(), 404, 'the second time there is nothing left')
      t.same(faults, [])
    },
  )
}

await t.test('a person who was never created is erased by e-mail or external id', async (t) => {
  const service = await startService(t)
  const body = [{ first_name: 'Only', email: 'refused@example.com', phone: '1' }]
  const refused = await service.call('POST', '/v1/employees', { body })
  await service.project()
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(EMPLOYEES)
  await page.getByRole('link', { name: 'Erase by email or external ID…' }).click()
  const find = () => page.getByRole('button', { name: 'Find person' }).click()
  await find()
  t.match(await page.getByRole('alert').textContent(), 'Enter an email, an external ID, or a user name.')
  await page.getByLabel('Email').fill('Refused@Example.com')
  await page.getByLabel('Or external ID').fill('E-1')
  await find()
  t.match(await page.getByRole('alert').textContent(), 'Enter an email, an external ID, or a user name.')
  await page.getByLabel('Or external ID').fill('')
  await find()
  t.match(await page.locator('main .facts').innerText(), '1 refused record')
  t.same(await looksOfAnswer(page), [])
  await page.getByLabel('Type refused@example.com to confirm').fill('refused@example.com')
  await page.getByRole('button', { name: 'Erase person' }).click()
  await page.waitForURL(`**${EMPLOYEES}?done=erased`)
  t.match(await page.getByRole('status').textContent(), 'Person erased')
  await service.project()
  await page.goto(`/settings/bulk-user-logs/${refused.body.log_id}`)
  t.match(await page.locator('.record').innerText(), 'has been erased')
  t.strictSame(await rowsWith(service.urls.superUrl, ['refused@example.com']), [])
  t.same(faults, [])
})

await t.test('a removed user is erased from their page, and has no name afterwards', async (t) => {
  const service = await startService(t)
  const { member } = service.company
  await service.manage('DELETE', `/users/${member.user_id}`)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(`/settings/users/${member.user_id}`)
  await page.getByRole('link', { name: 'Erase…' }).click()
  t.same(await looksOf(page, `/settings/users/${member.user_id}/erase`), [])
  await page.getByLabel(`Type ${member.email} to confirm`).fill(member.email)
  await page.getByRole('button', { name: 'Erase user' }).click()
  await page.waitForURL('**?done=erased')
  t.equal(await page.locator('h1').textContent(), 'Erased user')
  t.strictSame(await rowsWith(service.urls.superUrl, [member.email]), [])
  for (const path of [`/${member.user_id}`, '?status=removed'])
    t.same(await looksOf(page, `/settings/users${path}`), [])
  t.same(faults, [])
})

await t.test('the pages look right in both color schemes and at every width', async (t) => {
  const service = await startService(t)
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  await service.project()
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const path of ['/erase', `/${body.employees[0].id}/erase`]) t.same(await looksOf(page, EMPLOYEES + path), [])
  await service.manage('POST', '/erasures', { employee_id: body.employees[0].id })
  t.same(await looksOf(page, `${EMPLOYEES}/${body.employees[0].id}`), [])
  t.same(faults, [])
})

import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

const browser = await openBrowser()
const COMPANY = '/settings/company'

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `an administrator chooses the time zone, and pages show times in it (script: ${javaScriptEnabled})`,
    async (t) => {
      const service = await startService(t)
      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
      await signIn(page, service.company, 'admin')
      await page.goto(COMPANY)
      t.match(await page.locator('main time').textContent(), /UTC$/)
      await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').waitFor()
      t.equal(await page.getByRole('status').textContent(), 'Company changed.')
      t.equal(await page.getByLabel('Time zone').inputValue(), 'Asia/Tokyo')
      t.match(await page.locator('main time').textContent(), /GMT\+9$/)
      await page.goto('/settings/events')
      t.match(await page.locator('main time').first().getAttribute('title'), /GMT\+9$/)
      t.match(await page.locator('main').textContent(), /changed the company's time zone:\s+from UTC/)
      t.same(faults, [])
    },
  )
}

await t.test('an administrator chooses the country of local phone numbers, and removes it again', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(COMPANY)
  for (const [label, code, sentence] of [
    ['Germany (DE)', 'DE', /changed the company's country:\s+from not set\s+→\s+to DE/],
    ['None', null, /changed the company's country:\s+from DE\s+→\s+to not set/],
  ] as const) {
    await page.getByLabel('Country').selectOption({ label })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').waitFor()
    t.equal(await page.getByLabel('Country').inputValue(), code ?? '')
    t.equal((await service.manage('GET', '/company')).body.country, code)
    await page.goto('/settings/events')
    t.match(await page.locator('main').textContent(), sentence)
    await page.goto(COMPANY)
  }
  t.same(faults, [])
})

await t.test('a company name is shown as text, and the page looks right everywhere', async (t) => {
  const service = await startService(t)
  const name = '</dd><script>alert(1)</script><b onclick="x">"&amp;'
  const company = await service.makeCompany(name)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, company, 'admin')
  await page.goto(COMPANY)
  t.equal(await page.locator('dd').first().textContent(), name)
  t.equal(await page.locator('.company').textContent(), name)
  t.equal(await page.locator('main script, main b').count(), 0)
  t.same(await looksOf(page, COMPANY), [])
  t.same(faults, [])
})

await t.test('a zone outside the list is refused at the field, and a zone set elsewhere is kept', async (t) => {
  const service = await startService(t)
  await service.manage('PATCH', '/company', { time_zone: 'Asia/Kolkata' })
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(COMPANY)
  t.equal(await page.getByLabel('Time zone').inputValue(), 'Asia/Kolkata')
  await page.getByLabel('Time zone').evaluate((select: { options: { value: string }[]; selectedIndex: number }) => {
    select.options[select.selectedIndex]!.value = 'Nowhere/Land'
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  t.match(await page.locator('.fault').textContent(), 'must be an IANA time zone name')
  t.equal((await service.manage('GET', '/company')).body.time_zone, 'Asia/Kolkata')
  t.same(faults, [])
})

await t.test('a printed list says which filters it has, and its times have the year', async (t) => {
  const service = await startService(t)
  await service.call('PATCH', '/v1/employees/emp_unknown', { body: {} })
  await service.project()
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto('/settings/bulk-user-logs?status=Failed&q=employee_not_found')
  await page.emulateMedia({ media: 'print' })
  t.match(await page.locator('.entries tbody time').first().innerText(), /\b20\d\d\b/)
  for (const filter of ['Failed', '“employee_not_found”'])
    t.ok(await page.locator('.chip', { hasText: filter }).isVisible(), filter)
  t.same(faults, [])
})

await t.test("only the page's content is printed", async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const path of ['/settings/events', '/settings/usage', '/settings/health']) {
    await page.goto(path)
    t.ok(await page.getByRole('navigation', { name: 'Company Settings' }).isVisible())
    await page.emulateMedia({ media: 'print' })
    t.notOk(await page.getByRole('navigation', { name: 'Company Settings' }).isVisible(), path)
    t.notOk(await page.getByRole('navigation', { name: 'Personal' }).isVisible(), path)
    t.ok(await page.getByRole('main').isVisible())
    t.ok(await page.getByRole('table').first().isVisible())
    t.equal((await page.pdf()).subarray(0, 5).toString(), '%PDF-', 'it can be printed')
    await page.emulateMedia({ media: null })
  }
  t.same(faults, [])
})

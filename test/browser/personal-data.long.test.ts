import { readFileSync } from 'node:fs'
import t from 'tap'
import { looksOf, looksOfAnswer, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'

const browser = await openBrowser()
const service = await startService(t)
const { body } = await service.call('POST', '/v1/employees', {
  body: employee({ first_name: 'Ana', job_title: 'Clerk' }),
})
const { id } = body.employees[0]
await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Head' } })
await service.project()

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : ', without any script'
  await t.test(`an administrator downloads what is held about an employee, and opens it${how}`, async (t) => {
    const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
    await signIn(page, service.company, 'admin')
    await page.goto(`/settings/employees/${id}`)
    await page.getByRole('link', { name: 'What is held about this person…' }).click()
    t.equal(await page.getByLabel('Employee ID').inputValue(), id)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as a page' }).click()
    const download = await downloading
    t.match(download.suggestedFilename(), /^personal-data-emp_\w+-[\dTZ-]+\.html$/)
    const report = readFileSync(await download.path(), 'utf8')
    const next = page.getByRole('link', { name: 'Erase person…' })
    t.equal(await next.getAttribute('href'), `/settings/employees/${id}/erase`, 'a click leads on to the erasure')
    t.same(faults, [])
    if (!javaScriptEnabled) return
    await page.route('**/report.html', (route) => route.fulfill({ body: report, contentType: 'text/html' }))
    await page.goto('/report.html')
    t.match(await page.locator('h1').innerText(), 'What Acme holds about Ana Pérez')
    t.match(await page.getByRole('region', { name: 'History' }).innerText(), /Clerk → Head/)
    t.same(await looksOfAnswer(page), [], 'the file itself looks good')
  })
}

await t.test('the pages look right in both color schemes and at every width', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  t.same(await looksOf(page, `/settings/employees/personal-data?employee_id=${id}`), [])
  await page.getByLabel('Employee ID').fill('')
  await page.getByLabel('Or email').fill('nobody@example.com')
  await page.getByRole('button', { name: 'Download as JSON' }).click()
  t.match(await page.getByRole('alert').textContent(), 'No employee has this identifier')
  t.same(await looksOfAnswer(page), [])
  for (const path of ['/account', `/settings/users/${service.company.member.user_id}`, '/settings/employees'])
    t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

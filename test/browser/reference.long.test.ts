import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

/* The API reference in a browser. */

const browser = await openBrowser()
const service = await startService(t)

const PAGES = {
  'the first page': '/docs',
  'what a search finds': '/docs?q=employee',
  'a call with a body': '/docs/createEmployees',
  'a call with many parameters': '/docs/listBulkUserLogs',
  'a call without a body': '/docs/revokeApiKey',
  'a message': '/docs/EmployeeCreatedMessage',
}

for (const [name, path] of Object.entries(PAGES)) {
  await t.test(`${name} looks right in both color schemes and at every width`, async (t) => {
    const { page, faults } = await openPage(t, browser, service)
    t.same(await looksOf(page, path), [])
    t.same(faults, [])
  })
}

await t.test('users who are signed in keep the navigation of their company beside the reference', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  t.same(await looksOf(page, '/docs/createEmployees'), [])
  const developers = page.getByRole('navigation', { name: 'Developers' })
  t.equal(await developers.getByRole('link', { name: 'API reference' }).getAttribute('aria-current'), 'page')
  t.same(faults, [])
})

await t.test('without scripts, one finds a call and reads its samples and members', async (t) => {
  const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled: false })
  await page.goto('/docs')
  await page.getByRole('searchbox', { name: 'Search the API reference' }).fill('upsert')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Create or update several employees' }).click()
  await page.getByText('curl "$API_URL/v1/employees"').waitFor()
  await page.getByText('Python', { exact: true }).click()
  await page.getByText('requests.put(').waitFor()
  t.notOk(await page.getByText('curl "$API_URL/v1/employees"').isVisible(), 'one sample is open at a time')
  t.same(faults, [])
})

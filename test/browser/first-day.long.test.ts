import t from 'tap'
import { openBrowser, openPage, signIn, giveCredentials } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'
import { readCurlData } from '../support/http/curl-data.ts'
import { idsOf, isLive, rowOf } from '../support/processes/watched-log.ts'

const PASSWORD = 'correct horse battery'

/** The URL and options of the request that a curl command makes. */
function requestOf(curl: string): { url: string; init: RequestInit } {
  const headers = [...curl.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]): [string, string] => [
    name!,
    value!,
  ])
  return {
    url: /'(http[^']+)'/.exec(curl)![1]!,
    init: { method: 'POST', headers, body: readCurlData(curl) },
  }
}

await t.test("an administrator's first day, from the invitation to why a bulk update failed", async (t) => {
  const service = await startService(t, { SWEEP_INTERVAL_MS: '200' }, { workers: true })
  const browser = await openBrowser()
  const colleague = await openPage(t, browser, service)
  await signIn(colleague.page, service.company, 'admin')
  await colleague.page.goto('/settings/users/new')
  await colleague.page.getByLabel('Email').fill('nora@example.com')
  await colleague.page.getByLabel('Name').fill('Nora New')
  await colleague.page.getByLabel('Role').selectOption('admin')
  await colleague.page.getByRole('button', { name: 'Invite' }).click()
  const link = (await colleague.page.locator('#link').textContent())!

  // She sets a password with the link and signs in. The first thing she sees is the log, which is empty.
  const { page, faults } = await openPage(t, browser, service)
  await page.goto(link)
  for (const label of ['New password', 'Confirm new password'])
    await page.getByLabel(label, { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await giveCredentials(page, { email: 'nora@example.com', password: PASSWORD })
  await page.getByRole('heading', { name: 'No calls yet' }).waitFor()

  // It leads her to a key, whose page has a command for the first call.
  await page.locator('main').getByRole('link', { name: 'Create an API key' }).click()
  await page.getByLabel('Name').fill('Nightly sync')
  await page.getByRole('button', { name: 'Create key' }).click()
  const line = (await page.locator('#create-line').textContent())!
  await page.getByRole('navigation', { name: 'Company Settings' }).getByRole('link', { name: 'Bulk User Logs' }).click()
  await isLive(page)
  const { url, init } = requestOf(line)
  const first = await fetch(url, init)
  t.equal(first.status, 201)
  const created = (await first.json()) as { log_id: string; employees: { email: string }[] }

  // The entry arrives while she looks, with the attributes that were set.
  await rowOf(page, created.log_id).getByText('Completed').waitFor()
  t.match(await rowOf(page, created.log_id).innerText(), 'Nightly sync')
  await rowOf(page, created.log_id).getByRole('link').click()
  t.match(await page.locator('.record').innerText(), created.employees[0]!.email)
  await page.getByRole('navigation', { name: 'Company Settings' }).getByRole('link', { name: 'Bulk User Logs' }).click()
  await isLive(page)

  // A bulk update fails. She opens it and reads the records that caused it, with the API's own messages.
  const patches = [
    { email: created.employees[0]!.email, phone: '12' },
    { email: 'nobody@example.com', job_title: 'Lead' },
  ]
  const second = await fetch(url, { ...init, method: 'PATCH', body: JSON.stringify(patches) })
  t.equal(second.status, 422)
  const problem = (await second.json()) as { log_id: string; detail: string; errors: { message: string }[] }
  await rowOf(page, problem.log_id).getByText('Failed', { exact: true }).waitFor()
  t.strictSame(await idsOf(page), [problem.log_id, created.log_id])
  await rowOf(page, problem.log_id).getByRole('link').click()
  t.equal(await page.locator('#api-error').textContent(), problem.detail)
  t.strictSame(await page.locator('.counts dd').allTextContents(), ['2', '0', '0', '2', '0'])
  const records = page.locator('.record')
  t.equal(await records.count(), problem.errors.length)
  for (const [at, { message }] of problem.errors.entries()) t.match(await records.nth(at).innerText(), message)
  t.same([...faults, ...colleague.faults], [])
})

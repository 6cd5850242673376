import t from 'tap'
import {
  axeFaults,
  looksOf,
  looksOfAnswer,
  openBrowser,
  openPage,
  signIn,
  giveCredentials,
} from '../../support/browser/browser.ts'
import { startService } from '../../support/service.ts'

await t.test('signing in opens the page that was asked for, and signing out ends the session', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await page.goto('/settings/no-such-page?a=1')
  t.equal(new URL(page.url()).pathname, '/sign-in')
  await giveCredentials(page, {
    email: service.company.admin.email.toUpperCase(),
    password: service.company.admin.password,
  })
  await page.waitForURL('**/settings/no-such-page?a=1')
  t.match(await page.textContent('h1'), 'Page not found')
  t.same(await axeFaults(page), [])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await page.goto('/settings')
  t.equal(new URL(page.url()).pathname, '/sign-in', 'the session has ended on the server as well')
  t.same(faults, [])
})

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `a form sent after the session ended comes back filled${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const service = await startService(t)
      const { admin } = service.company
      const { page, faults } = await openPage(t, await openBrowser(), service, { javaScriptEnabled })
      await signIn(page, service.company, 'admin')
      await page.goto('/settings/users/new')
      await page.getByLabel('Email').fill('nora@example.com')
      await page.getByLabel('Name').fill('Nora New')
      await page.getByLabel('Role').selectOption('auditor')
      await service.pool.query('delete from sessions')
      await page.getByRole('button', { name: 'Invite' }).click()
      t.match(await page.getByRole('alert').textContent(), 'Your session has ended.')
      if (javaScriptEnabled) t.same(await looksOfAnswer(page), [])
      await giveCredentials(page, { email: admin.email, password: admin.password })
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Back to the form' }).click()
      await page.getByRole('heading', { name: 'Invite user' }).waitFor()
      t.equal(await page.getByLabel('Email').inputValue(), 'nora@example.com')
      t.equal(await page.getByLabel('Name').inputValue(), 'Nora New')
      t.equal(await page.getByLabel('Role').inputValue(), 'auditor')
      await page.getByRole('button', { name: 'Invite' }).click()
      await page.getByRole('heading', { name: 'User invited' }).waitFor()
      t.same(faults, [])
    },
  )
}

await t.test('a breadcrumb leads back to the list with its filters, until someone signs in', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, service.company, 'admin')
  await page.goto('/settings/api-keys?status=active')
  await page.locator('tbody').getByRole('link').first().click()
  const crumb = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'API keys' })
  await crumb.click()
  await page.waitForURL('**/settings/api-keys?status=active')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await signIn(page, service.company, 'admin')
  await page.goto(`/settings/api-keys/${service.company.key.api_id}`)
  t.equal(await crumb.getAttribute('href'), '/settings/api-keys')
  t.same(faults, [])
})

await t.test('the signed-out pages look right in both color schemes and at every width', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, await openBrowser(), service)
  for (const path of ['/sign-in', '/invitation?token=x', '/problems', '/problems/quota_exceeded'])
    t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

await t.test("a member sees no Company Settings and can't open its pages", async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, service.company, 'member')
  t.equal(await page.getByRole('navigation', { name: 'Company Settings' }).count(), 0)
  for (const path of ['/settings/no-such-page', '/account/no-such-page']) t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

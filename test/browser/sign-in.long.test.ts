import t from 'tap'
import { axeFaults, looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

await t.test('signing in opens the page that was asked for, and signing out ends the session', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, await openBrowser(t), service)
  await page.goto('/settings/no-such-page?a=1')
  t.equal(new URL(page.url()).pathname, '/sign-in')
  await page.getByLabel('Email').fill(service.company.admin.email.toUpperCase())
  await page.getByLabel('Password').fill(service.company.admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/settings/no-such-page?a=1')
  t.match(await page.textContent('h1'), 'Page not found')
  t.same(await axeFaults(page), [])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await page.goto('/settings')
  t.equal(new URL(page.url()).pathname, '/sign-in', 'the session has ended on the server as well')
  t.same(faults, [])
})

await t.test('the signed-out pages look right in both colour schemes and at every width', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, await openBrowser(t), service)
  for (const path of ['/sign-in', '/invitation?token=x', '/problems', '/problems/quota_exceeded'])
    t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

await t.test("a member sees no Company Settings and can't open its pages", async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, await openBrowser(t), service)
  await signIn(page, service.company, 'member')
  t.equal(await page.getByRole('navigation', { name: 'Company Settings' }).count(), 0)
  for (const path of ['/settings/no-such-page', '/account/no-such-page']) t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

const NEXT = 'another password of mine'

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `a member changes the password, issues and revokes a token, and signs out everywhere${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const service = await startService(t)
      const { member } = service.company
      const browser = await openBrowser(t)
      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
      const other = await openPage(t, browser, service, { javaScriptEnabled })
      await signIn(other.page, service.company, 'member')
      await signIn(page, service.company, 'member')
      t.equal(new URL(page.url()).pathname, '/account')
      t.equal(await page.getByText('(this one)').count(), 1)

      await page.getByLabel('Present password').fill('not my password')
      await page.getByLabel('New password').fill(NEXT)
      await page.getByLabel('The same again').fill(NEXT)
      await page.getByRole('button', { name: 'Change the password' }).click()
      await page.getByText('this is not your present password').waitFor()
      t.equal(await page.getByLabel('Present password').getAttribute('aria-invalid'), 'true')
      t.equal(await page.getByLabel('New password').inputValue(), '', 'no password stands in a page')
      await page.getByLabel('Present password').fill(member.password)
      await page.getByLabel('New password').fill(NEXT)
      await page.getByLabel('The same again').fill(NEXT)
      await page.getByRole('button', { name: 'Change the password' }).click()
      t.match(await page.getByRole('status').textContent(), 'Your password is changed.')
      await other.page.goto('/account')
      t.equal(new URL(other.page.url()).pathname, '/sign-in', 'the other browser is signed out')

      await page.getByLabel('Name of the token').fill('CI')
      await page.getByLabel('Days for which it works').fill('7')
      await page.getByRole('button', { name: 'Issue the token' }).click()
      const token = (await page.locator('#token').textContent())!
      t.equal((await service.manage('GET', '/tokens', undefined, token)).status, 200)
      await page.reload()
      t.match(await page.getByRole('alert').textContent(), 'nothing was done this time')
      await page.goto('/account')
      await page.getByRole('link', { name: 'Revoke CI …' }).click()
      await page.getByRole('button', { name: 'Revoke the token' }).click()
      t.match(await page.getByRole('status').textContent(), 'The token is revoked.')
      t.equal((await service.manage('GET', '/tokens', undefined, token)).status, 401)

      await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
      t.match(await page.getByRole('status').textContent(), 'All other sessions of yours have ended.')
      await page.getByRole('button', { name: 'Sign out everywhere, here too' }).click()
      await page.waitForURL('**/sign-in')
      await page.goto('/account')
      t.equal(new URL(page.url()).pathname, '/sign-in')
      t.same([...faults, ...other.faults], [])
    },
  )
}

await t.test('the account page looks right in both colour schemes and at every width', async (t) => {
  const service = await startService(t)
  const { body: long } = await service.manage('POST', '/tokens', { name: 'x'.repeat(120) })
  const { body: revoked } = await service.manage('POST', '/tokens', { name: '<b>revoked' })
  await service.manage('DELETE', `/tokens/${revoked.id}`)
  const { page, faults } = await openPage(t, await openBrowser(t), service)
  await signIn(page, service.company, 'admin')
  for (const path of ['/account', '/account?done=password', `/account/tokens/${long.id}/revoke`])
    t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

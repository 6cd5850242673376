import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'
import { issueToken } from '../support/http/sessions.ts'

const NEXT = 'another password of mine'

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `a member changes the password, issues and revokes a token, and signs out everywhere${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const service = await startService(t)
      const { member } = service.company
      const browser = await openBrowser()
      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
      const other = await openPage(t, browser, service, { javaScriptEnabled })
      await signIn(other.page, service.company, 'member')
      await signIn(page, service.company, 'member')
      t.equal(new URL(page.url()).pathname, '/account')
      t.equal(await page.getByText('(this session)').count(), 1)

      await page.locator('#current').fill('not my password')
      await page.getByLabel('New password', { exact: true }).fill(NEXT)
      await page.getByLabel('Confirm new password').fill(NEXT)
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByText('This is not your current password').waitFor()
      t.equal(await page.locator('#current').getAttribute('aria-invalid'), 'true')
      t.equal(await page.getByLabel('New password', { exact: true }).inputValue(), '', 'no page contains a password')
      await page.locator('#current').fill(member.password)
      await page.getByLabel('New password', { exact: true }).fill(NEXT)
      await page.getByLabel('Confirm new password').fill(NEXT)
      await page.getByRole('button', { name: 'Change password' }).click()
      t.match(await page.getByRole('status').textContent(), 'Password changed.')
      await other.page.goto('/account')
      t.equal(new URL(other.page.url()).pathname, '/sign-in', 'the other browser is signed out')

      await page.getByText('A token lets a program do what you choose').waitFor()
      await page.getByLabel('Token name').fill('CI')
      await page.getByLabel('Expires in (days)').fill('7')
      await page.locator('#proof').fill('not my password')
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByText('This is not your current password').waitFor()
      t.equal(await page.getByLabel('Token name').inputValue(), 'CI')
      await page.locator('#proof').fill(NEXT)
      await page.getByRole('button', { name: 'Create token' }).click()
      const token = (await page.locator('#token').textContent())!
      t.equal((await service.manage('GET', '/tokens', undefined, token)).status, 200)
      await page.reload()
      t.equal(await page.locator('#token').textContent(), token, 'reloading the answer issues nothing')
      await page.goto('/account')
      await page.getByRole('link', { name: 'Revoke CI …' }).click()
      await page.getByRole('button', { name: 'Revoke token' }).click()
      t.match(await page.getByRole('status').textContent(), 'Token revoked.')
      t.equal((await service.manage('GET', '/tokens', undefined, token)).status, 401)

      await signIn(other.page, { ...service.company, member: { ...member, password: NEXT } }, 'member')
      await page.reload()
      const sessions = page.getByRole('table', { name: 'Sessions' })
      t.match(await sessions.innerText(), /Chrome on Linux[^]*127\.0\.0\.1/)
      await sessions.locator('summary').click()
      await sessions.getByRole('button', { name: 'Sign out' }).click()
      t.match(await page.getByRole('status').textContent(), 'The session was signed out.')
      t.equal(await sessions.locator('tbody tr').count(), 1)
      await other.page.goto('/account')
      t.equal(new URL(other.page.url()).pathname, '/sign-in')

      await page.locator('summary', { hasText: 'Sign out other sessions' }).click()
      await page.getByRole('button', { name: 'Sign out other sessions' }).click()
      t.match(await page.getByRole('status').textContent(), 'All your other sessions were signed out.')
      await page.locator('summary', { hasText: 'Sign out all sessions' }).click()
      await page.getByRole('button', { name: 'Sign out all sessions' }).click()
      await page.waitForURL('**/sign-in')
      await page.goto('/account')
      t.equal(new URL(page.url()).pathname, '/sign-in')
      t.same([...faults, ...other.faults], [])
    },
  )
}

await t.test('the account page looks right in both color schemes and at every width', async (t) => {
  const service = await startService(t)
  const { body: long } = await issueToken(service, service.company.admin, { name: 'x'.repeat(120) })
  const { body: revoked } = await issueToken(service, service.company.admin, { name: '<b>revoked' })
  await service.manage('DELETE', `/tokens/${revoked.id}`)
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, service.company, 'admin')
  for (const path of ['/account', '/account?done=password', `/account/tokens/${long.id}/revoke`])
    t.same(await looksOf(page, path), [])
  t.same(faults, [])
})

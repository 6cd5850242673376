import t from 'tap'
import { looksOf, openBrowser, openPage, signIn, giveCredentials } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

const HOSTILE = '"><script>alert(1)</script>'
const PASSWORD = 'a password to paste'

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `an invited user opens the link in another browser and signs in as an auditor${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const service = await startService(t)
      const browser = await openBrowser()
      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
      await signIn(page, service.company, 'admin')
      await page.goto('/settings/users')
      await page.getByRole('link', { name: 'Invite user' }).click()
      await page.getByLabel('Email').fill('olga@example.com')
      await page.getByLabel('Name').fill(HOSTILE)
      await page.getByLabel('Role').selectOption('auditor')
      await page.getByRole('button', { name: 'Invite' }).click()
      const link = (await page.locator('#link').textContent())!
      await page.reload()
      t.equal(await page.locator('#link').textContent(), link, 'reloading the answer invites nobody')

      const other = await openPage(t, browser, service, { javaScriptEnabled })
      await other.page.goto(link)
      // Paste it all at once, as a password manager does.
      await other.page.getByLabel('New password', { exact: true }).focus()
      await other.page.keyboard.insertText(PASSWORD)
      await other.page.getByLabel('Confirm new password').focus()
      await other.page.keyboard.insertText(PASSWORD)
      await other.page.getByRole('button', { name: 'Set password' }).click()
      await other.page.getByRole('link', { name: 'Sign in' }).click()
      await giveCredentials(other.page, { email: 'olga@example.com', password: PASSWORD })
      await other.page.waitForURL('**/settings/events')
      const items = other.page.getByRole('navigation', { name: 'Company Settings' }).getByRole('link')
      t.strictSame(await items.allTextContents(), ['Event stream', 'Employees', 'Ledger integrity'])

      await page.goto('/settings/users')
      await page.getByRole('link', { name: HOSTILE }).click()
      await page.getByText('Active', { exact: true }).waitFor()
      await page.getByLabel('Role').selectOption('member')
      await page.getByRole('button', { name: 'Change role' }).click()
      t.match(await page.getByRole('status').textContent(), 'Role changed.')
      await other.page.goto('/account')
      t.equal(await other.page.getByRole('navigation', { name: 'Company Settings' }).count(), 0)

      await page.getByRole('link', { name: 'Remove…' }).click()
      await page.getByRole('button', { name: 'Remove user' }).click()
      await page.getByText('Removed', { exact: true }).first().waitFor()
      await other.page.goto('/account')
      t.equal(new URL(other.page.url()).pathname, '/sign-in')
      t.same([...faults, ...other.faults], [])
    },
  )
}

await t.test(
  'the user pages look right in both color schemes and at every width, with hostile and long names',
  async (t) => {
    const service = await startService(t)
    const email = `${'x'.repeat(60)}@${'y'.repeat(60)}.example.com`
    const { body: long } = await service.manage('POST', '/users', { email, name: 'x'.repeat(120), role: 'member' })
    const { body: removed } = await service.manage('POST', '/users', {
      email: 'r@example.com',
      name: HOSTILE,
      role: 'member',
    })
    await service.manage('DELETE', `/users/${removed.id}`)
    const { page, faults } = await openPage(t, await openBrowser(), service)
    await signIn(page, service.company, 'admin')
    const own = service.company.admin.user_id
    for (const path of [
      '',
      '?status=removed',
      '/new',
      `/${long.id}`,
      `/${removed.id}`,
      `/${own}`,
      `/${long.id}/reset-password`,
      `/${long.id}/remove`,
    ]) {
      t.same(await looksOf(page, `/settings/users${path}`), [])
    }
    t.same(faults, [])
  },
)

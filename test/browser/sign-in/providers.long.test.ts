import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { looksOf, looksOfAnswer, openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { startTestProvider } from '../../support/providers/test-provider.ts'
import { startService } from '../../support/service.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const SETTINGS = { PUBLIC_URL: 'http://localhost:3000', OUTGOING_PRIVATE: '1' }

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `an administrator sets up, checks, requires, and removes an identity provider${javaScriptEnabled ? '' : ' without any script'}`,
    async (t) => {
      const service = await startService(t, SETTINGS)
      const { company, pool } = service
      const provider = await startTestProvider(t)
      const { page, faults } = await openPage(t, await openBrowser(), service, { javaScriptEnabled })
      const status = () => page.getByRole('status').textContent()
      await signIn(page, company, 'admin')
      await page.goto('/settings/users')
      await page.getByRole('link', { name: 'Sign-in', exact: true }).click()
      await page.getByRole('link', { name: 'Set up identity provider' }).click()
      const callback = `http://localhost:3000/sign-in/${company.id}/callback`
      t.equal(await page.locator('#redirect-uri').textContent(), callback)
      t.equal(await page.getByRole('button', { name: 'Copy' }).first().isVisible(), javaScriptEnabled)
      await page.getByLabel('Name').fill(HOSTILE)
      await page.getByLabel('Issuer').fill(provider.issuer)
      await page.getByLabel('Client ID').fill('ledger')
      await page.getByLabel('Role claim').fill('groups')
      await page.getByRole('button', { name: 'Set up' }).click()
      await page.getByText('Correct the 2 fields').waitFor()
      t.equal(await page.getByLabel('Name').inputValue(), HOSTILE)
      await page.getByLabel('Roles').fill('ledger-admins = admin')
      await page.getByLabel('Client secret').fill('of the test')
      await page.getByRole('button', { name: 'Set up' }).click()
      await page.getByRole('heading', { level: 2, name: HOSTILE }).waitFor()
      t.match(await status(), 'Identity provider set up.')

      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByRole('heading', { level: 1, name: 'Check of' }).waitFor()
      t.match(await status(), 'The provider answers.')
      await page.getByRole('link', { name: 'Back to Sign-in' }).click()
      await page.locator('.section > summary', { hasText: /^\s*Secret/ }).click()
      await page.getByLabel('Authentication').selectOption('Key pair made here (private_key_jwt)')
      await page.getByRole('button', { name: 'Replace secret' }).click()
      t.match(await status(), 'Secret replaced.')
      t.match(await page.locator('#jwks').textContent(), '"keys"')

      await page.locator('summary', { hasText: 'Make optional' }).click()
      await page.getByLabel('Current password').fill(company.admin.password)
      await page.getByRole('button', { name: 'Make optional' }).click()
      t.match(await status(), 'Provider switched on.')
      await pool.query(`update users set issuer = $2, subject = 'ada' where company_id = $1 and user_id = $3`, [
        ...[toUuid(company.id), provider.issuer, toUuid(company.admin.user_id)],
      ])
      await page.locator('summary', { hasText: 'Require provider' }).click()
      await page.getByLabel('Break-glass administrator').selectOption({ label: 'admin (admin@example.com)' })
      await page.getByRole('button', { name: 'Require provider' }).click()
      t.match(await status(), 'Provider required.')

      await page.locator('summary', { hasText: 'Turn off' }).click()
      await page.getByRole('button', { name: 'Turn off' }).click()
      t.match(await status(), 'Provider turned off.')
      await page.locator('.section > summary', { hasText: 'Removal' }).click()
      await page.locator('summary', { hasText: 'Remove…' }).click()
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('link', { name: 'Set up identity provider' }).waitFor()
      t.same(faults, [])
    },
  )
}

await t.test(
  'the pages of the provider look right in both color schemes and at every width, with hostile texts',
  async (t) => {
    const service = await startService(t, SETTINGS)
    const { company, pool } = service
    const cookie = await cookieOf(service, company.admin)
    const provider = await startTestProvider(t)
    const roles = Array.from({ length: 50 }, (_, at) => `${'x'.repeat(200)}${at} = admin`).join('\n')
    const form = {
      name: HOSTILE,
      issuer: provider.issuer,
      client_id: 'x'.repeat(255),
      client_auth: 'private_key_jwt',
      creates_users: 'yes',
      role_claim: 'x'.repeat(255),
      roles,
    }
    const { page, faults } = await openPage(t, await openBrowser(), service)
    await signIn(page, company, 'admin')
    t.same(await looksOf(page, '/settings/sign-in'), [])
    await browse(service, '/settings/sign-in/new', { cookie, form })
    await pool.query(`update identity_providers set use = 'required', break_glass = $2 where company_id = $1`, [
      ...[toUuid(company.id), toUuid(company.admin.user_id)],
    ])
    t.same(await looksOf(page, '/settings/sign-in'), [])
    for (const guide of ['', '?provider=entra', '?provider=keycloak'])
      t.same(await looksOf(page, `/settings/sign-in/new${guide}`), [])
    await page.goto('/settings/sign-in')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByRole('heading', { level: 1, name: 'Check of' }).waitFor()
    t.same(await looksOfAnswer(page), [])
    t.same(faults, [])
  },
)

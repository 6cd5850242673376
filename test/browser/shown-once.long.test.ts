import type { Page } from 'playwright-core'
import t from 'tap'
import { looksOf, looksOfAnswer, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { holdHead, letGo } from '../support/postgres/held-rows.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import { startService } from '../support/service.ts'

/* The answers to forms that show something once: they have no address, so each is looked at right there. */

const service = await startService(t)
const { page, faults } = await openPage(t, await openBrowser(), service)
await signIn(page, service.company, 'admin')

async function answerOf(
  t: { same(found: unknown, wanted: unknown): unknown },
  page: Page,
  button: string,
  heading: string,
): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  t.same(await looksOfAnswer(page), [])
}

await t.test('a new key with its curl commands, and a rotated one', async (t) => {
  await page.goto('/settings/api-keys/new')
  await page.getByLabel('Name').fill('x'.repeat(120))
  await answerOf(t, page, 'Create key', 'API key created')
  await page.getByRole('link', { name: 'View key' }).click()
  await page.getByRole('heading', { name: 'Secret rotation' }).click()
  await answerOf(t, page, 'Rotate secret', 'Secret rotated')
  t.same(faults, [])
})

await t.test('the secret of a new webhook, and a rotated one', async (t) => {
  await page.goto('/settings/webhooks/new')
  await page.getByLabel('URL').fill('https://example.com/hooks')
  await page.getByLabel('Description').fill('x'.repeat(200))
  await answerOf(t, page, 'Create webhook', 'Webhook created')
  await page.getByRole('link', { name: 'View webhook' }).click()
  await page.getByRole('heading', { name: 'Secret rotation' }).click()
  await answerOf(t, page, 'Rotate secret', 'Webhook secret rotated')
  t.same(faults, [])
})

await t.test('the links of an invitation and of a reset, and the pages they open', async (t) => {
  await page.goto('/settings/users/new')
  await page.getByLabel('Email').fill(`${'x'.repeat(60)}@example.com`)
  await page.getByLabel('Name').fill('New')
  await answerOf(t, page, 'Invite', 'User invited')
  await page.getByRole('link', { name: 'View user' }).click()
  await page.getByRole('link', { name: 'Create new link…' }).click()
  await answerOf(t, page, 'Create new link', 'New link created')
  const link = (await page.locator('#link').textContent())!
  t.same(await looksOf(page, link), [])
  for (const label of ['New password', 'Confirm new password'])
    await page.getByLabel(label, { exact: true }).fill('a password to paste')
  await answerOf(t, page, 'Set password', 'Password set')
  await page.goto(`/settings/users/${service.company.member.user_id}/reset-password`)
  await answerOf(t, page, 'Reset password', 'Password reset')
  t.same(faults, [])
})

await t.test(
  'a double click sends a form once: another process would answer the second without the secret',
  async (t) => {
    let sent = 0
    page.on('request', (request) => (sent += request.method() === 'POST' ? 1 : 0))
    await page.goto('/settings/webhooks/new')
    await page.getByLabel('URL').fill('https://example.com/twice')
    const holder = await holdHead(service)
    const { x, y } = (await page.getByRole('button', { name: 'Create webhook' }).boundingBox())!
    await page.mouse.click(x + 5, y + 5)
    await lockIsAwaited(service, 'heads')
    await page.mouse.click(x + 5, y + 5)
    await letGo(holder)
    await page.getByRole('heading', { level: 1, name: 'Webhook created' }).waitFor()
    t.equal(sent, 1)
  },
)

await t.test('a new token, which is shown once', async (t) => {
  await page.goto('/account')
  await page.getByLabel('Token name').fill('<b>CI</b>')
  await page.getByLabel('read Bulk User Logs').check()
  await page.locator('#proof').fill(service.company.admin.password)
  await answerOf(t, page, 'Create token', 'Token created')
  t.same(faults, [])
})

await t.test('a form that is refused', async (t) => {
  await page.goto('/settings/api-keys/new')
  await page.getByLabel('Name').fill(' ')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('alert').waitFor()
  t.same(await looksOfAnswer(page), [])
  await page.goto('/settings/employees/erase')
  await page.getByLabel('Email').fill('nobody@example.com')
  await page.getByRole('button', { name: 'Find person' }).click()
  await page.getByRole('alert').waitFor()
  t.same(await looksOfAnswer(page), [])
  t.same(faults, [])
})

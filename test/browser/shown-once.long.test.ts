import type { Page } from 'playwright-core'
import t from 'tap'
import { looksOf, looksOfAnswer, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

/* The answers to forms that show something once: no address leads to them, so each is looked at where it is. */

const service = await startService(t)
const { page, faults } = await openPage(t, await openBrowser(t), service)
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

await t.test('a new key with its lines for a shell, and a rotated one', async (t) => {
  await page.goto('/settings/api-keys/new')
  await page.getByLabel('Name').fill('x'.repeat(120))
  await answerOf(t, page, 'Issue the key', 'The API key is issued')
  await page.getByRole('link', { name: 'To the key' }).click()
  await answerOf(t, page, 'Rotate the secret', 'The API key has a new secret')
  t.same(faults, [])
})

await t.test('the links of an invitation and of a reset, and the pages that they lead to', async (t) => {
  await page.goto('/settings/users/new')
  await page.getByLabel('E-mail of the user').fill(`${'x'.repeat(60)}@example.com`)
  await page.getByLabel('Name').fill('New')
  await answerOf(t, page, 'Invite', 'The user is invited')
  await page.getByRole('link', { name: 'To the user' }).click()
  await page.getByRole('link', { name: 'Make a new link …' }).click()
  await answerOf(t, page, 'Reset the password', 'The password is reset')
  const link = (await page.locator('#link').textContent())!
  t.same(await looksOf(page, link), [])
  for (const label of ['New password', 'The same again']) await page.getByLabel(label).fill('a password to paste')
  await answerOf(t, page, 'Set the password', 'Your password is set')
  t.same(faults, [])
})

await t.test('a token', async (t) => {
  await page.goto('/account')
  await page.getByLabel('Name of the token').fill('<b>CI</b>')
  await answerOf(t, page, 'Issue the token', 'The token is issued')
  t.same(faults, [])
})

await t.test('forms that are refused', async (t) => {
  await page.goto('/settings/api-keys/new')
  await page.getByLabel('Name').fill(' ')
  await page.getByRole('button', { name: 'Issue the key' }).click()
  await page.getByRole('alert').waitFor()
  t.same(await looksOfAnswer(page), [])
  await page.goto('/settings/employees/erase')
  await page.getByLabel('E-mail').fill('nobody@example.com')
  await page.getByLabel('Erase this person for ever').check()
  await page.getByRole('button', { name: 'Erase the person' }).click()
  await page.getByRole('alert').waitFor()
  t.same(await looksOfAnswer(page), [])
  t.same(faults, [])
})

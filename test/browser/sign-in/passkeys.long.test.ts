import type { Browser, Locator, CDPSession, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { looksOf, looksOfAnswer, openBrowser, openPage } from '../../support/browser/browser.ts'
import { freePort } from '../../support/processes/free-port.ts'
import { startService, type Service } from '../../support/service.ts'

/* Passkeys in a real browser, with the authenticator that Chromium has for tests. */

const port = await freePort()
const service = await startService(t, {
  PORT: String(port),
  PUBLIC_URL: `http://localhost:${port}`,
  SIGN_IN_LIMIT: '0',
})
// Browsers offer passkeys to names of hosts only.
const named: Service = { ...service, address: `http://localhost:${port}` }
const { admin, member } = service.company
const browser = await openBrowser()

/**
 * Gives a page's browser an authenticator that says yes by itself. So the browser must not ask it for what it fills into
 * the email field, unless `fillsIn` is set.
 */
async function attachAuthenticator(
  page: Page,
  { fillsIn = false } = {},
): Promise<{ session: CDPSession; authenticatorId: string }> {
  if (!fillsIn) await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, authenticatorId }
}

async function givePassword(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL('**/sign-in')
}

async function addPasskey(page: Page, password: string, name: string): Promise<void> {
  await page.goto('/account')
  await page.getByRole('link', { name: 'Add a passkey…' }).click()
  await page.getByLabel('Passkey name').fill(name)
  await page.getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Create passkey' }).click()
}

async function openNamed(t: Test, from: Browser, options = {}) {
  return openPage(t, from, named, options)
}

await t.test(
  'a member adds a passkey, signs in with it alone, with it after the password, and removes it',
  async (t) => {
    const { page, faults } = await openNamed(t, browser)
    await attachAuthenticator(page)
    await givePassword(page, member)
    await page.waitForURL('**/account')
    t.match(await page.locator('main').innerText(), 'You have no passkeys.')

    await addPasskey(page, 'not my password', 'Laptop').catch(() => undefined)
    await page.getByText('This is not your current password').waitFor()
    t.equal(await page.getByLabel('Passkey name').inputValue(), 'Laptop')
    await page.getByLabel('Current password').fill(member.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByRole('heading', { name: 'Passkey added' }).waitFor()
    const codes = (await page.locator('#codes').textContent())!.split('\n')
    t.equal(codes.length, 10)
    t.same(await looksOfAnswer(page), [])
    await page.emulateMedia({ media: 'print' })
    t.ok(await page.locator('#codes').isVisible(), 'codes are on paper')
    t.notOk(await page.getByRole('button', { name: 'Copy codes' }).isVisible())
    await page.emulateMedia({ media: null })
    await page.goto('/account')
    t.match(await page.getByRole('table', { name: 'Passkeys' }).innerText(), /Laptop[^]*never/)
    t.same(await looksOf(page, '/account'), [])

    await addPasskey(page, member.password, 'The same laptop')
    await page.getByText('holds a passkey of yours already').waitFor()

    await page.goto('/account')
    await signOut(page)
    const top = async (locator: Locator) => (await locator.boundingBox())!.y
    const passkey = page.getByRole('button', { name: 'Sign in with a passkey' })
    t.ok((await top(passkey)) < (await top(page.getByLabel('Email'))), 'a browser that has a passkey offers it first')
    t.same(await looksOfAnswer(page), [])
    const another = await openNamed(t, browser)
    await another.page.goto('/sign-in')
    const later = another.page.getByRole('button', { name: 'Sign in with a passkey' })
    t.ok((await top(later)) > (await top(another.page.getByLabel('Email'))), 'other browsers ask for the email first')
    await passkey.click()
    await page.waitForURL('**/account')
    t.notMatch(await page.getByRole('table', { name: 'Passkeys' }).innerText(), 'never')

    await signOut(page)
    await givePassword(page, member)
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    t.same(await looksOfAnswer(page), [])
    await page.goto('/account')
    t.match(page.url(), /\/sign-in/, 'the password alone is not enough')
    await givePassword(page, member)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL('**/account')

    await page.getByRole('link', { name: 'Remove Laptop …' }).click()
    t.same(await looksOfAnswer(page), [])
    await page.getByLabel('Current password').fill(member.password)
    await page.getByRole('button', { name: 'Remove passkey' }).click()
    t.match(await page.getByRole('status').textContent(), 'Passkey removed.')
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey does not sign you in').waitFor()
    await givePassword(page, member)
    await page.waitForURL('**/account')
    t.same(faults, [])
  },
)

await t.test('a recovery code stands in for a lost passkey, also without any script', async (t) => {
  const { page, faults } = await openNamed(t, browser)
  const { session, authenticatorId } = await attachAuthenticator(page)
  await givePassword(page, admin)
  await page.waitForURL('**/settings/bulk-user-logs')
  await addPasskey(page, admin.password, 'Lost')
  const codes = (await page.locator('#codes').textContent())!.split('\n')
  await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })

  const plain = await openNamed(t, browser, { javaScriptEnabled: false })
  await givePassword(plain.page, admin)
  t.notOk(await plain.page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible())
  await plain.page.getByLabel('Recovery code').fill('7777')
  await plain.page.getByRole('button', { name: 'Continue' }).click()
  await plain.page.getByText('not one of your unused recovery codes').waitFor()
  await plain.page.getByLabel('Recovery code').fill(codes[0]!.toLowerCase())
  await plain.page.getByRole('button', { name: 'Continue' }).click()
  await plain.page.waitForURL('**/settings/bulk-user-logs')
  await plain.page.goto('/account')
  t.match(await plain.page.locator('main').innerText(), 'You have 9 left.')
  await plain.page.getByRole('link', { name: 'Make new recovery codes…' }).click()
  await plain.page.getByLabel('Current password').fill(admin.password)
  await plain.page.getByRole('button', { name: 'Make new codes' }).click()
  const next = (await plain.page.locator('#codes').textContent())!.split('\n')
  t.equal(new Set([...codes, ...next]).size, 20)
  t.same([...faults, ...plain.faults], [])
})

await t.test("an administrator's reset deletes passkeys, and the password that follows is enough", async (t) => {
  const { page, faults } = await openNamed(t, browser)
  await attachAuthenticator(page)
  await page.goto('/sign-in')
  const user = await invite(admin.token, page)
  await addPasskey(page, user.password, 'Phone')
  await page.getByRole('heading', { name: 'Passkey added' }).waitFor()

  const reset = await service.manage('POST', `/users/${user.id}/reset-password`, undefined, admin.token)
  await page.goto('/account')
  t.match(page.url(), /\/sign-in/)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This passkey does not sign you in').waitFor()
  const password = await setPassword(page, reset.body.invitation.token)
  await givePassword(page, { email: user.email, password })
  await page.waitForURL('**/account')
  t.match(await page.locator('main').innerText(), 'You have no passkeys.')
  t.same(faults, [])
})

/** Invites a user, who sets a password and signs in. */
async function invite(token: string, page: Page) {
  const person = { email: 'passkeys@example.com', name: 'Pat', role: 'member' }
  const { body } = await service.manage('POST', '/users', person, token)
  const password = await setPassword(page, body.invitation.token)
  await givePassword(page, { ...person, password })
  await page.waitForURL('**/account')
  return { id: body.id as string, email: person.email, password }
}

async function setPassword(page: Page, token: string): Promise<string> {
  const password = `password ${token.slice(-12)}`
  await page.goto(`/invitation?token=${token}`)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm new password').fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('heading', { name: 'Password set' }).waitFor()
  return password
}

await t.test('the email field offers passkeys, and one that was refused is not sent again and again', async (t) => {
  const { page, faults } = await openNamed(t, browser)
  const { session, authenticatorId } = await attachAuthenticator(page, { fillsIn: true })
  const person = service.company.auditor
  await givePassword(page, person)
  await page.waitForURL('**/settings/events')
  await addPasskey(page, person.password, 'Filled in')
  await page.getByRole('heading', { name: 'Passkey added' }).waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL('**/settings/events')
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
  t.equal(credentials.length, 1)
  await service.manage('POST', `/users/${person.user_id}/reset-password`)
  await page.goto('/account')
  await page.getByText('This passkey does not sign you in').waitFor()
  t.match(page.url(), /\/sign-in\/passkey$/)
  t.same(faults, [])
})

await t.test('a browser that is too old for passkeys says so', async (t) => {
  const { page, faults } = await openNamed(t, browser)
  await page.addInitScript('delete window.PublicKeyCredential')
  await givePassword(page, member)
  await page.waitForURL('**/account')
  await addPasskey(page, member.password, 'None').catch(() => undefined)
  await page.getByText('This browser is too old for passkeys').waitFor()
  await signOut(page)
  t.notOk(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible())
  t.same(faults, [])
})

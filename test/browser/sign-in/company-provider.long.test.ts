import type { Page } from 'playwright-core'
import t from 'tap'
import { axeFaults, looksOf, looksOfAnswer, openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { freePort } from '../../support/processes/free-port.ts'
import { giveProvider, linkUser, turn } from '../../support/providers/company-provider.ts'
import { FORM, startTestProvider } from '../../support/providers/test-provider.ts'
import { startService, type Service } from '../../support/service.ts'

/* Signing in through an identity provider, with the provider's own pages, in a real browser. */

const port = await freePort()
const publicUrl = `http://localhost:${port}`
const settings = { PORT: String(port), PUBLIC_URL: publicUrl, OUTGOING_PRIVATE: '1', SIGN_IN_LIMIT: '0' }
const service = await startService(t, settings)
// The provider has another host, because browsers share the cookies of all ports of a host.
const named: Service = { ...service, address: publicUrl }
const { company } = service
const { admin, auditor, member } = company
const nora = { sub: 'nora', email: 'nora@example.com', email_verified: true, name: 'Nora Núñez' }
const olaf = { email: 'olaf@example.com', name: 'Olaf' }
const idp = await startTestProvider(t, {
  accounts: [
    ...[nora, { sub: 'auditor', email: auditor.email, email_verified: true }],
    { sub: 'alias', email: 'alias@example.com' },
  ],
  signsIn: null,
})
await giveProvider(service, company, idp, { creates_users: true, publicUrl })
await linkUser(service, auditor.user_id, idp.issuer, 'auditor')
const path = `/sign-in/${company.id}`
const browser = await openBrowser()

async function open(t: Parameters<typeof openPage>[0], javaScriptEnabled = true) {
  const { page, faults } = await openPage(t, browser, named, { javaScriptEnabled })
  // Going to the provider is what is tested here.
  return { page, faults: () => faults.filter((fault) => !fault.includes(idp.issuer)) }
}

async function signInThere(page: Page, account: string): Promise<void> {
  await page.waitForURL(`${idp.issuer}/**`)
  await page.getByLabel('Account').fill(account)
  await page.getByRole('button', { name: FORM.submit }).click()
}

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `a newcomer signs in through the company's link and becomes a user, and signs out on both sides${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const { page, faults } = await open(t, javaScriptEnabled)
      await page.goto(`${path}?next=/account`)
      if (javaScriptEnabled) t.same(await looksOf(page, path), [])
      await page.goto(`${path}?next=/account`)
      await page.getByRole('link', { name: 'Continue to Test IdP' }).click()
      await signInThere(page, nora.email)
      await page.waitForURL('**/account')
      t.match(await page.textContent('main'), 'Nora Núñez')
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      // The provider's own page asks, and a script of the test provider answers.
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${publicUrl}/sign-in`)
      await page.goto('/account')
      t.equal(new URL(page.url()).pathname, '/sign-in')
      await page.goto(`${path}/start`)
      await page.getByLabel('Account').waitFor()
      t.ok(page.url().startsWith(idp.issuer), 'the provider asks again')
      t.same(faults(), [])
    },
  )
}

await t.test(
  'an email leads to the provider, which knows it already, and back to the form that was lost',
  async (t) => {
    const { page, faults } = await open(t)
    await signIn(page, company, 'admin')
    await page.goto('/settings/users/new')
    await page.getByLabel('Email').fill(olaf.email)
    await page.getByLabel('Name').fill(olaf.name)
    await service.pool.query('delete from sessions')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email').fill(admin.email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`**${path}`)
    t.same(await axeFaults(page), [])
    await page.getByRole('link', { name: 'use a password' }).click()
    t.equal(await page.getByLabel('Email').inputValue(), admin.email)
    await page.getByLabel('Password').fill(admin.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Invite user' }).waitFor()
    t.equal(await page.getByLabel('Email').inputValue(), olaf.email)

    await service.pool.query('delete from sessions')
    await page.goto('/settings/events')
    await page.getByLabel('Email').fill(auditor.email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Continue to Test IdP' }).click()
    await page.waitForURL(`${idp.issuer}/**`)
    t.equal(await page.getByLabel('Account').inputValue(), auditor.email)
    await page.getByRole('button', { name: FORM.submit }).click()
    await page.getByRole('heading', { name: 'Event stream' }).waitFor()
    t.same(faults(), [])
  },
)

await t.test('failures have a page of their own that says what to do', async (t) => {
  const { page, faults } = await open(t)
  await page.goto(path)
  await page.getByRole('link', { name: 'Continue to Test IdP' }).click()
  await page.waitForURL(`${idp.issuer}/**`)
  await page.getByRole('button', { name: FORM.cancel }).click()
  await page.getByRole('heading', { name: 'Test IdP did not let you in' }).waitFor()
  t.match(await page.textContent('main'), /Reason: denied[^]*Request: /)
  await page.getByRole('link', { name: 'Start again' }).click()
  await page.getByRole('link', { name: 'Continue to Test IdP' }).click()
  await signInThere(page, 'alias')
  await page.getByRole('heading', { name: 'Your email is not verified at Test IdP' }).waitFor()
  t.same(faults(), [])
  t.same(await looksOf(page, `${path}/callback`), [])
})

await t.test('users link an account on their account page, and unlink it', async (t) => {
  const { page, faults } = await open(t)
  await signIn(page, company, 'member')
  await page.goto('/account')
  t.same(await looksOf(page, '/account/provider'), [])
  await page.getByLabel('Current password').fill(member.password)
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByRole('heading', { name: 'Link to Test IdP' }).waitFor()
  t.same(await looksOfAnswer(page), [])
  await page.getByRole('link', { name: 'Continue to Test IdP' }).click()
  await signInThere(page, 'alias')
  await page.waitForURL('**/account?done=linked')
  await page.getByRole('link', { name: 'Unlink…' }).click()
  await page.getByLabel('Current password').fill(member.password)
  await page.getByRole('button', { name: 'Unlink', exact: true }).click()
  await page.waitForURL('**/account?done=unlinked')
  t.same(faults(), [])
})

await t.test(
  'a required provider ends password sessions; the administrator for emergencies still signs in',
  async (t) => {
    const { page, faults } = await open(t)
    await signIn(page, company, 'member')
    await turn(service, company, 'required')
    await page.goto('/account')
    t.equal(new URL(page.url()).pathname, '/sign-in')
    await page.getByLabel('Email').fill(admin.email)
    await page.getByRole('button', { name: 'Continue' }).click()
    t.match(await page.textContent('main'), 'Open the sign-in link of your company, or enter a password.')
    t.same(await looksOfAnswer(page), [])
    await page.goto(path)
    await page.getByRole('link', { name: 'use a password' }).click()
    await page.getByLabel('Email').fill(admin.email)
    await page.getByLabel('Password').fill(admin.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/settings/**')
    await turn(service, company, 'optional')
    t.same(faults(), [])
  },
)

await t.test('an administrator sees what signing in would do, and signs in with a password as before', async (t) => {
  const { page, faults } = await open(t)
  await page.goto('/sign-in?with=password')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.goto('/settings/sign-in')
  await page.getByRole('link', { name: 'Test sign-in' }).click()
  await signInThere(page, auditor.email)
  await page.getByRole('heading', { name: 'Test result' }).waitFor()
  t.match(await page.getByRole('status').textContent(), /You would be signed in as[^]*Nothing was changed/)
  t.same(faults(), [])
})

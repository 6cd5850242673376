import t from 'tap'
import { type EmailContent, renderEmail } from '../../../src/accounts/mail/email.ts'
import * as accountEmails from '../../../src/accounts/mail/account-emails.ts'
import {
  giveCredentials,
  looksOf,
  looksOfAnswer,
  openBrowser,
  openPage,
  signIn,
} from '../../support/browser/browser.ts'
import { linkIn, startMailingService } from '../../support/mail/mailing-service.ts'

const PASSWORD = 'a password to paste'
const { service, server } = await startMailingService(t)
/** A mail program has the landmarks; a message needs none. */
const isOfMessage = (fault: string) => !/: (?:landmark-one-main|region) /.test(fault)

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `whoever forgot the password gets a message, and signs in with a new one${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const { email } = javaScriptEnabled ? service.company.member : service.company.auditor
      const { page, faults } = await openPage(t, await openBrowser(), service, { javaScriptEnabled })
      await page.goto('/sign-in')
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      await page.goto(linkIn(await server.take(email, 'Set a new password')))
      await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
      await page.getByLabel('Confirm new password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByRole('link', { name: 'Sign in' }).click()
      await giveCredentials(page, { email, password: PASSWORD })
      await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
      t.same(faults, [])
    },
  )
}

await t.test('the pages that send email look right in both color schemes and at every width', async (t) => {
  const { page, faults } = await openPage(t, await openBrowser(), service)
  const path = '/sign-in/forgot-password'
  t.same(await looksOf(page, path), [])
  await page.getByLabel('Email').fill(`${'x'.repeat(60)}@${'y'.repeat(60)}.example.com`)
  await page.getByRole('button', { name: 'Send link' }).click()
  t.same(await looksOfAnswer(page), [])
  await signIn(page, service.company, 'admin')
  t.same(await looksOf(page, '/settings/users/new'), [])
  await page.getByLabel('Email').fill(`${'x'.repeat(60)}@${'z'.repeat(60)}.example.com`)
  await page.getByLabel('Name').fill('New')
  await page.getByRole('button', { name: 'Invite' }).click()
  t.match(await page.getByRole('status').textContent(), 'An email with the link is on its way')
  t.same(await looksOfAnswer(page), [])
  t.same(faults, [])
})

await t.test('messages look right in both color schemes and at every width, with long names', async (t) => {
  const { page, faults } = await openPage(t, await openBrowser(), service)
  const context = { companyName: 'x'.repeat(120), timeZone: 'UTC', actorName: '<b>y</b>'.repeat(10), address: '::1' }
  const link = {
    url: `https://ledger.example/invitation?token=${'z'.repeat(80)}`,
    expiresAt: '2026-12-01T10:00:00.000Z',
  }
  const at = { at: link.expiresAt, publicUrl: 'https://ledger.example' }
  const { describeAccountChange } = accountEmails
  const contents: EmailContent[] = [
    accountEmails.describeInvitation(context, link),
    accountEmails.describeReset(context, link),
    accountEmails.describeForgottenPassword(context, link, { hasPasskeys: true }),
    describeAccountChange(context, { kind: 'password_changed' }, at),
    describeAccountChange(context, { kind: 'passkey_added', name: 'n'.repeat(120) }, at),
    describeAccountChange(context, { kind: 'token_issued', name: 'n', scopes: ['audit'] }, at),
  ]
  for (const content of contents) {
    await page.setContent((await renderEmail(content, 'https://ledger.example')).html)
    t.same((await looksOfAnswer(page)).filter(isOfMessage), [], content.subject)
  }
  t.same(faults, [])
})

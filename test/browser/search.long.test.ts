import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'

const SEARCH = '/settings/search'
const HOSTILE = '<img src=x onerror=alert(1)>'

const service = await startService(t)
const { body } = await service.call('POST', '/v1/employees', {
  body: [employee({ first_name: 'Ottoline', last_name: 'Quick' })],
})
await service.manage('POST', '/users', { email: 'petra.user@example.com', name: HOSTILE, role: 'member' })
await service.manage('POST', '/webhooks', { url: 'https://hooks.example.com/payroll', description: 'Payroll' })
await service.project()
const browser = await openBrowser()

/** What leads where: a text, the name of the first link that it must find, and the page behind the link. */
const TARGETS: [text: string, name: RegExp, path: RegExp][] = [
  ['integrity', /Ledger integrity/, /\/settings\/ledger$/],
  ['invite', /Invite user/, /\/settings\/users\/new$/],
  ['ottoline q', /Ottoline Quick/, /\/settings\/employees\/emp_/],
  ['petra.user', /<img src=x/, /\/settings\/users\/usr_/],
  [service.company.key.name, new RegExp(service.company.key.name), /\/settings\/api-keys\/key_/],
  [service.company.key.api_id, new RegExp(service.company.key.api_id), /\/settings\/api-keys\/key_/],
  ['payroll', /Payroll/, /\/settings\/webhooks\/whk_/],
  [body.log_id, new RegExp(body.log_id), new RegExp(`/settings/bulk-user-logs/${body.log_id}$`)],
]

await t.test(
  'the search leads to any page, person, key, webhook and entry, and nothing is in the address',
  async (t) => {
    const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled: false })
    await signIn(page, service.company, 'admin')
    for (const [text, name, path] of TARGETS) {
      await page.getByRole('link', { name: 'Search' }).first().click()
      await page.getByLabel('Page, person, key or entry').fill(text)
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByText('Entries with “').waitFor()
      t.equal(new URL(page.url()).search, '')
      await page.getByRole('main').getByRole('link', { name }).first().click()
      t.match(page.url(), path)
    }
    t.same(faults, [])
  },
)

await t.test('a search finds only what the role may open, and never repeats a secret', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  const find = async (text: string) => {
    await page.goto(SEARCH)
    await page.getByLabel('Page, person, key or entry').fill(text)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByLabel('Page, person, key or entry').waitFor()
    return page.locator('main .places').innerText()
  }
  t.match(await find('ottoline'), 'Ottoline Quick')
  t.notMatch(await find('e'), /API keys|Users|API key|Create|Webhook/)
  const secret = service.company.key.api_key
  t.match(await find(`x-api-key: ${secret}`), 'API keys')
  t.notMatch(await page.content(), secret)
  t.same(faults, [])
})

await t.test('the search page looks right in both color schemes and at every width', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  t.same(await looksOf(page, SEARCH), [])
  t.same(faults, [])
})

import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import type { Expected, Person } from '../support/files/compare-people.ts'
import { comparePeople } from '../support/files/compare-people.ts'
import { readStaffLists } from '../support/files/staff-lists.ts'
import { startService } from '../support/service.ts'

/* An administrator imports the lists of other systems as they are, with few clicks, and answers only what is asked. */

const service = await startService(t)
const browser = await openBrowser()

/** Four without a question: the link, the file, its preview, and the button that applies it. Answers are no steps. */
const MOST_STEPS = 6
/** How often a preview may ask: an answer about a column can raise another question. */
const MOST_ROUNDS = 2

/** The languages of the browsers of some administrators. */
const LOCALES: Readonly<Record<string, string>> = { DE: 'de-DE', RU: 'ru-RU' }

/** Answers what the page asks, as its administrator would. */
async function answer(page: Page, { hints, columns }: Pick<Expected, 'hints' | 'columns'>): Promise<void> {
  for (const select of await page.locator('fieldset.questions select').all()) {
    const [, word, header] =
      /^(?:Meaning of (.*)|What (.*) becomes)$/.exec((await select.getAttribute('aria-label'))!) ?? []
    if (word !== undefined)
      await select.selectOption(hints.status_words?.[word] ?? ((await select.inputValue()) || 'inactive'))
    if (header !== undefined)
      await select.selectOption(/^\w+/.exec(columns[header] ?? '')?.[0] ?? ((await select.inputValue()) || 'nothing'))
  }
  const country = page.getByLabel('Country of local phone numbers')
  if (await country.isVisible()) await country.fill(hints.country!)
  const ended = page.getByLabel(/^People whose termination date has passed/).first()
  if (await ended.isVisible()) await ended.selectOption(hints.past_end_date === 'inactive' ? 'deactivate' : 'keep')
}

for (const { expected } of await readStaffLists())
  await t.test(`${expected.file_name} is imported as it is`, async (t) => {
    const company = await service.makeCompany(expected.file_name)
    const locale = LOCALES[expected.hints.country ?? ''] ?? 'en-US'
    const { page, faults } = await openPage(t, browser, service, { locale })
    await signIn(page, company, 'admin')
    await page.goto('/settings/bulk-user-logs')
    const steps: string[] = []
    const click = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
      const found = page.getByRole(role, { name, exact: true }).first()
      steps.push((await found.textContent())!.replaceAll(/\s+/g, ' ').trim())
      await found.click()
      await page.waitForLoadState()
    }
    await click('Upload file', 'link')
    await page.setInputFiles('input[name=file]', `test/fixtures/staff-lists/${expected.file_name}`)
    steps.push('file')
    await click('Preview')
    if ((await page.locator('input[type=radio]').count()) > 0) await click('Preview')
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      if (!(await page.locator('fieldset.questions').isVisible())) break
      await answer(page, expected)
      await click('Preview with these answers')
    }
    if (await page.getByRole('button', { name: /^Leave out the values/ }).isVisible()) await click(/^Leave out/)
    await click(/^Apply/)
    t.match(await page.title(), /^File applied/)
    await service.project(company.id)
    const { items } = (await service.call('GET', '/v1/employees?limit=200', { key: company.key })).body
    t.strictSame(comparePeople(expected, items as Person[]), [])
    t.ok(steps.length <= MOST_STEPS, steps.join(' > '))
    t.strictSame(faults, [])
  })

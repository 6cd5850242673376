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

/** Four without a question: the link, the file, its preview, and the button that applies it. */
const MOST_STEPS = 6

/** The languages of the browsers of some administrators. */
const LOCALES: Readonly<Record<string, string>> = { DE: 'de-DE', RU: 'ru-RU' }

/** Answers what the page asks, as its administrator would. Returns what had to be done for that. */
async function answer(page: Page, { hints }: Pick<Expected, 'hints'>): Promise<string[]> {
  const done: string[] = []
  for (const [word, status] of Object.entries(hints.status_words ?? {})) {
    const select = page.getByLabel(`Meaning of ${word}`, { exact: true })
    if (!(await select.isVisible()) || (await select.inputValue()) === status) continue
    await select.selectOption(status)
    done.push(`${word}: ${status}`)
  }
  const country = page.getByLabel('Country of local phone numbers')
  if ((await country.isVisible()) && (await country.inputValue()) !== hints.country) {
    await country.fill(hints.country!)
    done.push(`country: ${hints.country}`)
  }
  const ended = page.getByLabel(/^People whose termination date has passed/).first()
  const wanted = hints.past_end_date === 'inactive' ? 'deactivate' : 'keep'
  if ((await ended.isVisible()) && (await ended.inputValue()) !== wanted) {
    await ended.selectOption(wanted)
    done.push(`past end dates: ${wanted}`)
  }
  return done
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
    if (
      await page
        .getByText(/questions? about the file/)
        .first()
        .isVisible()
    ) {
      steps.push(...(await answer(page, expected)))
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

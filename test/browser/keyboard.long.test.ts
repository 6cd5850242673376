import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'

const LOGS = '/settings/bulk-user-logs'
const service = await startService(t)
const { body } = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
await service.project()
const browser = await openBrowser()

/** The focused element: its text, its address, and whether a focus ring is drawn. */
async function focused(page: Page): Promise<{ text: string; href: string | null; hasRing: boolean }> {
  return page.locator(':focus').evaluate((element) => {
    const { outlineStyle, outlineWidth } = element.ownerDocument.defaultView!.getComputedStyle(element)
    const text = (element.textContent ?? '').trim()
    return {
      text,
      href: element.getAttribute('href'),
      hasRing: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
    }
  })
}

const MAX_TABS = 60

/** Tabs to the link with this address. Throws when it can't be reached, or when the focus is invisible on the way. */
async function tabTo(page: Page, href: string): Promise<void> {
  for (let pressed = 0; pressed < MAX_TABS; pressed += 1) {
    await page.keyboard.press('Tab')
    const found = await focused(page)
    if (!found.hasRing) throw new Error(`the focus on “${found.text}” cannot be seen`)
    if (found.href === href) return
  }
  throw new Error(`${href} cannot be reached by Tab`)
}

for (const colorScheme of ['light', 'dark'] as const) {
  await t.test(
    `Tab and Enter alone reach the list, an entry and a record, with visible focus (${colorScheme})`,
    async (t) => {
      const { page, faults } = await openPage(t, browser, service, { colorScheme })
      await signIn(page, service.company, 'admin')
      await page.goto(LOGS)
      for (const path of [`${LOGS}/${body.log_id}`, `${LOGS}/${body.log_id}/records/1`]) {
        await tabTo(page, path)
        await page.keyboard.press('Enter')
        await page.waitForURL(`**${path}`)
      }
      await tabTo(page, LOGS)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${LOGS}`)
      t.same(faults, [])
    },
  )
}

await t.test('the first Tab shows the link that skips the navigation', async (t) => {
  const { page } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(`${LOGS}/${body.log_id}`)
  const skip = page.getByRole('link', { name: 'Skip to content' })
  t.ok((await skip.boundingBox())!.y < 0, 'it is out of sight')
  await page.keyboard.press('Tab')
  t.equal((await focused(page)).text, 'Skip to content')
  t.ok((await skip.boundingBox())!.y >= 0)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  const inMain = await page.locator('main :focus').count()
  t.equal(inMain, 1, 'the next Tab is in the content')
})

await t.test('a user who signed in by keyboard can sign out by keyboard', async (t) => {
  const { page } = await openPage(t, browser, service)
  await page.goto('/sign-in')
  // The e-mail field is focused by itself, but not before the page is drawn.
  const address = page.getByLabel('Email').and(page.locator(':focus'))
  await address.waitFor()
  await page.keyboard.type(service.company.member.email)
  await page.keyboard.press('Enter')
  await page.getByLabel('Password').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(service.company.member.password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/account')
  await page.getByRole('button', { name: 'Sign out', exact: true }).focus()
  await page.keyboard.press('Space')
  await page.waitForURL('**/sign-in')
  await address.waitFor()
})

await t.test('nothing moves with reduced motion', async (t) => {
  for (const [reducedMotion, moves] of [
    ['reduce', false],
    ['no-preference', true],
  ] as const) {
    const { page } = await openPage(t, browser, service, { reducedMotion })
    await signIn(page, service.company, 'admin')
    await page.goto(LOGS)
    const name = await page
      .locator('tbody tr')
      .first()
      .evaluate((row) => {
        row.setAttribute('class', 'arrived')
        return row.ownerDocument.defaultView!.getComputedStyle(row).animationName
      })
    t.equal(name !== 'none', moves, reducedMotion)
  }
})

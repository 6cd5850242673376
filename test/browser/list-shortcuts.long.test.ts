import t from 'tap'
import { axeFaults, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'

const LOGS = '/settings/bulk-user-logs'
const service = await startService(t)
for (let at = 0; at < 3; at += 1) await service.call('POST', '/v1/employees', { body: employee() })
await service.project()
const browser = await openBrowser()

await t.test('/ focuses the search box, j and k move through the rows, and Enter opens one', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  const ids = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))
  const focusedId = async () => page.locator('tbody tr:has(:focus)').getAttribute('data-id')
  await page.keyboard.press('/')
  t.equal(await page.locator(':focus').getAttribute('id'), 'q')
  await page.keyboard.type('j/k?')
  t.equal(await page.getByLabel('Search').inputValue(), 'j/k?', 'typed text is not a shortcut')
  await page.locator('h1').click()
  await page.keyboard.press('j')
  t.equal(await focusedId(), ids[0])
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  t.equal(await focusedId(), ids[2], 'the last row is the end')
  await page.keyboard.press('k')
  t.equal(await focusedId(), ids[1])
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${LOGS}/${ids[1]}`)
  t.same(faults, [])
})

await t.test('the end of the page names the shortcuts, and turns them off and on again', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  const help = page.getByText('Keyboard shortcuts', { exact: true })
  await help.click()
  t.same(await axeFaults(page), [])
  await page.getByLabel('Use these shortcuts').uncheck()
  await page.reload()
  await page.keyboard.press('j')
  t.equal(await page.locator('tbody :focus').count(), 0)
  await help.click()
  await page.getByLabel('Use these shortcuts').check()
  await page.locator('h1').click()
  await page.keyboard.press('j')
  t.equal(await page.locator('tbody :focus').count(), 1)
  t.same(faults, [])
})

await t.test('other lists have the same shortcuts', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const path of ['/settings/users', '/settings/api-keys']) {
    await page.goto(path)
    await page.keyboard.press('j')
    t.equal(await page.locator('tbody tr:first-child :focus').count(), 1, path)
  }
  await page.goto('/settings/employees')
  await page.keyboard.press('/')
  t.equal(await page.locator(':focus').evaluate((element) => element.tagName), 'INPUT')
  t.same(faults, [])
})

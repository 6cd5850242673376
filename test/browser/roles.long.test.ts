import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const browser = await openBrowser()

for (const role of ['auditor', 'member'] as const) {
  await t.test(`a ${role} neither sees nor reaches pages for administrators, and a page says why`, async (t) => {
    const { page, faults } = await openPage(t, browser, service)
    await signIn(page, service.company, role)
    await page.goto('/settings/events')
    const items = page.getByRole('navigation', { name: 'Company Settings' }).getByRole('link')
    t.strictSame(
      await items.allTextContents(),
      role === 'auditor' ? ['Event stream', 'Employees', 'Ledger integrity'] : [],
    )
    if (role === 'member') t.match(await page.textContent('main'), 'This page requires the role admin or auditor')
    t.equal((await page.goto('/settings/usage'))!.status(), 403)
    t.match(await page.textContent('main'), 'Only company administrators can do this', 'a page says why')
    t.equal(await page.getByRole('table').count(), 0)
    t.same(await looksOf(page, '/settings/usage'), [])
    t.same(faults, [])
  })
}

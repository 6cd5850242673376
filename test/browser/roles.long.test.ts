import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const browser = await openBrowser()
const FOR_ADMINISTRATORS = ['/settings/usage', '/settings/health', '/settings/company']

for (const role of ['auditor', 'member'] as const) {
  await t.test(`a ${role} neither sees nor reaches pages for administrators`, async (t) => {
    const { page, faults } = await openPage(t, browser, service)
    await signIn(page, service.company, role)
    await page.goto('/settings/events')
    const items = page.getByRole('navigation', { name: 'Company Settings' }).getByRole('link')
    t.strictSame(
      await items.allTextContents(),
      role === 'auditor' ? ['Event stream', 'Employees over time', 'Ledger integrity'] : [],
    )
    for (const path of FOR_ADMINISTRATORS) {
      const answer = await page.goto(path)
      t.equal(answer!.status(), 403, path)
      t.match(await page.textContent('main'), 'Only company administrators can do this', 'a page says why')
      t.equal(await page.getByRole('table').count(), 0)
    }
    for (const path of ['/settings/company', '/settings/health/resume']) {
      const sent = await page.request.post(service.address + path, {
        form: { time_zone: 'Asia/Tokyo', projection: 'employees' },
        headers: { 'sec-fetch-site': 'same-origin' },
      })
      t.equal(sent.status(), 403, `nothing is changed by POST ${path}`)
    }
    t.equal((await service.manage('GET', '/company')).body.time_zone, 'UTC')
    t.same(await looksOf(page, '/settings/usage'), [])
    t.same(faults, [])
  })
}

await t.test('nor does a member reach the event stream and the employees', async (t) => {
  const { page } = await openPage(t, browser, service)
  await signIn(page, service.company, 'member')
  for (const path of ['/settings/events', '/settings/events/1', '/settings/employees', '/settings/ledger']) {
    t.equal((await page.goto(path))!.status(), 403, path)
    t.match(await page.textContent('main'), 'This page requires the role admin or auditor')
  }
})

await t.test('an administrator reaches all of them', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const path of [...FOR_ADMINISTRATORS, '/settings/events', '/settings/events/1'])
    t.equal((await page.goto(path))!.status(), 200, path)
  t.same(faults, [])
})

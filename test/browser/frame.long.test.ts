import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'

const LOGS = '/settings/bulk-user-logs'
/** A window of 1440 by 900 pixels at 200 % zoom. */
const ZOOMED = { width: 720, height: 450 }

const service = await startService(t)
for (let count = 1; count <= 15; count += 1) await service.call('POST', '/v1/employees', { body: [employee()] })
// More keys with failed calls than the list of what needs attention shows at once.
for (let count = 1; count <= 6; count += 1) {
  const { body } = await service.manage('POST', '/api-keys', { name: `Nightly sync ${count}`, quota_limit: 1 })
  const key = { api_id: body.id as string, api_key: body.api_key as string }
  await service.call('POST', '/v1/employees', { body: [{ ...employee(), phone: '12' }], key })
}
await service.project()
const browser = await openBrowser()

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox()
  if (!box) throw new Error('the element is not shown')
  return box
}

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `at 200 % zoom the navigation is one line with a menu of all pages, and a row of the list is in view${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled, viewport: ZOOMED })
      await signIn(page, service.company, 'admin')
      await page.goto(LOGS)
      const header = page.locator('header')
      t.ok(await header.getByText(service.company.name).isVisible())
      t.ok((await boxOf(header)).height <= 48, 'one line')
      const row = await boxOf(page.locator('.entries tbody tr').first())
      t.ok(row.y + row.height <= ZOOMED.height, `the first row ends at ${row.y + row.height}`)
      const users = page.getByRole('link', { name: 'Users', exact: true })
      t.notOk(await users.isVisible())
      await header.getByText('Menu').click()
      await users.click()
      await page.waitForURL('**/settings/users')
      t.same(faults, [])
    },
  )
}

for (const [width, height, rows] of [
  [1440, 900, 21],
  [1024, 768, 14],
  [390, 844, 8],
  [320, 640, 6],
  [ZOOMED.width, ZOOMED.height, 6],
] as const)
  await t.test(
    `${rows} rows of the list are in view below what needs attention, at ${width} by ${height} pixels`,
    async (t) => {
      const { page, faults } = await openPage(t, browser, service, { viewport: { width, height } })
      await signIn(page, service.company, 'admin')
      await page.goto(LOGS)
      t.ok(await page.getByRole('heading', { name: 'Needs attention' }).isVisible())
      const row = await boxOf(page.locator('.entries tbody tr').nth(rows - 1))
      const sums = await boxOf(page.locator('.entries tfoot th'))
      const end = Math.min(height, sums.y)
      t.ok(await page.getByRole('link', { name: 'Upload file' }).isVisible())
      t.ok(row.y + row.height <= end, `row ${rows} ends at ${row.y + row.height} of ${end}`)
      t.same(faults, [])
    },
  )

await t.test('what needs attention is one line on a narrow page, which opens without a script', async (t) => {
  const { page } = await openPage(t, browser, service, {
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  })
  await signIn(page, service.company, 'admin')
  await page.goto(LOGS)
  const attention = page.getByRole('region', { name: 'Needs attention' })
  t.ok((await boxOf(attention)).height < 48)
  await attention.getByText('problems', { exact: false }).first().click()
  t.ok(await attention.getByRole('link', { name: 'Nightly sync' }).first().isVisible())
})

for (const path of ['api-keys', 'webhooks'] as const)
  await t.test(`the first screen of one of the ${path} has its facts and a line for each form`, async (t) => {
    const { body: webhook } = await service.manage('POST', '/webhooks', { url: 'https://hooks.example.com/' })
    const id = path === 'webhooks' ? webhook.id : service.company.key.api_id
    const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled: false })
    await signIn(page, service.company, 'admin')
    await page.goto(`/settings/${path}/${id}`)
    const sections = await page.locator('.section > summary').all()
    t.ok(sections.length >= 3)
    for (const section of sections) {
      const { y, height } = await boxOf(section)
      t.ok(y + height <= 900, (await section.textContent()) ?? '')
    }
    t.same(faults, [])
  })

await t.test('a wide page shows all groups without a menu', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  t.strictSame(await page.getByRole('navigation').getByRole('heading').allTextContents(), [
    ...['Activity', 'Access', 'Audit', 'Settings', 'Developers'],
  ])
  t.notOk(await page.getByText('Menu', { exact: true }).isVisible())
  t.ok(await page.getByRole('link', { name: 'Ledger integrity' }).isVisible())
  t.same(faults, [])
})

await t.test('the reference and the pages about problems keep the navigation of who is signed in', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await page.goto('/problems')
  t.equal(await page.getByRole('navigation', { name: 'Company Settings' }).count(), 0)
  await signIn(page, service.company, 'admin')
  for (const path of ['/docs', '/problems', '/problems/validation_failed']) {
    await page.goto(path)
    t.ok(await page.getByRole('navigation', { name: 'Company Settings' }).isVisible(), path)
    const current = page.getByRole('navigation', { name: 'Developers' }).locator('[aria-current]')
    t.equal(await current.textContent(), path === '/docs' ? 'API reference' : 'Problem codes')
    t.same(await looksOf(page, path), [])
  }
  t.same(faults, [])
})

await t.test('a time says how long ago it was, and its date on focus, without a script', async (t) => {
  const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled: false })
  await signIn(page, service.company, 'admin')
  await page.goto(`/settings/api-keys/${service.company.key.api_id}`)
  const time = page.locator('.facts time').last()
  const date = time.locator('.when-full')
  t.match(await date.textContent(), /^ \d+ \w{3} \d{4}, \d\d:\d\d:\d\d UTC$/)
  const before = await boxOf(time)
  t.ok((await boxOf(date)).width <= 1)
  await time.focus()
  t.ok((await boxOf(date)).width > 100)
  t.same(await boxOf(time), before, 'nothing moves')
  t.same(faults, [])
})

function heightOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollHeight')
}

/** Opens each question of a page and returns the labels of the buttons that this moves, or that it hides. */
async function listMoved(page: Page): Promise<string[]> {
  const moved: string[] = []
  for (const summary of await page.locator('.confirm > summary').all()) {
    await summary.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    const before = await boxOf(summary)
    const height = await heightOf(page)
    await summary.click()
    const after = await boxOf(summary)
    const question = await boxOf(summary.locator('xpath=../*[contains(@class, "question")]'))
    const isCovered =
      question.y < after.y + after.height &&
      question.x < after.x + after.width &&
      question.y + question.height > after.y
    if (before.x !== after.x || before.y !== after.y || isCovered) moved.push((await summary.textContent()) ?? '')
    if ((await heightOf(page)) < height) moved.push('the page')
    await summary.click()
  }
  return moved
}

await t.test(
  'a question that opens moves no button under the pointer, and lies beside the one that opened it',
  async (t) => {
    const { body: webhook } = await service.manage('POST', '/webhooks', { url: 'https://hooks.example.com/' })
    const { page, faults } = await openPage(t, browser, service)
    await signIn(page, service.company, 'admin')
    for (const path of [
      `/settings/api-keys/${service.company.key.api_id}`,
      `/settings/webhooks/${webhook.id}`,
      '/account',
    ])
      for (const width of [1024, 390]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(path)
        t.ok((await page.locator('.confirm > summary').count()) > 0)
        t.strictSame(await listMoved(page), [], `${path} at ${width}`)
      }
    t.same(faults, [])
  },
)

await t.test('a key, a webhook and a user that need no attention take one line each at 1024 px', async (t) => {
  await service.manage('POST', '/api-keys', {
    name: 'A key with a long name that does not fit into its column',
    expires_at: new Date(Date.now() + 100 * 86_400_000).toISOString(),
    allowed_networks: ['192.0.2.0/24'],
  })
  const { page, faults } = await openPage(t, browser, service, { viewport: { width: 1024, height: 768 } })
  await signIn(page, service.company, 'admin')
  for (const path of ['api-keys', 'webhooks', 'users']) {
    await page.goto(`/settings/${path}`)
    const rows = await page.locator('.rows tbody tr:not(:has(.why))').all()
    t.ok(rows.length > 0, path)
    for (const row of rows) t.ok((await boxOf(row)).height <= 40, path)
  }
  t.same(faults, [])
})

import { text } from 'node:stream/consumers'
import t from 'tap'
import { openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { employee, startService } from '../../support/service.ts'
import { toUuid } from '../../../src/domain/ids.ts'

const LOGS = '/settings/bulk-user-logs'
const browser = await openBrowser()
const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const HOSTILE = {
  first_name: '<img src=x onerror=alert(1)>',
  last_name: '"><script>alert(2)</script>',
  job_title: 'מפתחת (backend)',
  department: "'); DROP TABLE employees;--",
  location: '👩🏽‍🚀 مكتب 北京',
  custom_attributes: { '<b>key</b>': '&amp;<i>value</i>', note: 'n'.repeat(1000) },
}

/** Calls the API and returns the path of the entry's page. */
async function call(
  method: 'POST' | 'PATCH',
  path: string,
  body: unknown,
): Promise<{ path: string; id: string; employees: { id: string }[] }> {
  const answer = await service.call(method, path, { body })
  await service.project()
  return { path: `${LOGS}/${answer.body.log_id}`, id: answer.body.log_id, employees: answer.body.employees }
}

const made = await call('POST', '/v1/employees', [
  employee(HOSTILE),
  employee({ first_name: 'Bob' }),
  employee({ first_name: 'Cleo' }),
])
const [hostile, bob, cleo] = made.employees as [{ id: string }, { id: string }, { id: string }]
const long = 'l'.repeat(100)
const changed = await call('PATCH', '/v1/employees', [
  { id: hostile.id, first_name: '<b>bold</b>', job_title: null, custom_attributes: { note: 'm'.repeat(1000) } },
  { id: bob.id, status: 'inactive', department: long },
  { id: cleo.id, first_name: 'Cleo' },
])
const failed = await call('PATCH', '/v1/employees', {
  employees: [
    { id: bob.id, first_name: 7, email: 'no address', '<u>x</u>': '<img src=y onerror=alert(3)>' },
    { id: cleo.id, job_title: 'fine' },
    { last_name: 'Nobody' },
  ],
})

await t.test('an entry says why a bulk update failed, in the words of the API', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.getByRole('navigation', { name: 'Company Settings' }).getByRole('link', { name: 'Bulk User Logs' }).click()
  await page.getByRole('link', { name: /^Failed \d/ }).click()
  await page.locator('tbody tr').getByRole('link').click()
  await page.waitForURL(`**${failed.path}`)

  const { body: entry } = await service.admin(`/bulk-user-logs/${failed.id}`)
  t.equal(await page.locator('#api-error').textContent(), entry.error.detail, 'the exact message of the API')
  t.equal(
    await page.locator('.entry-outcome').innerText(),
    'HR sync tried to update 3 employees. Nothing was applied: 2 of 3 records have errors; the other one was valid.',
  )
  t.strictSame(await page.locator('.counts dd').allTextContents(), ['3', '0', '0', '3', '0'])
  const records = page.locator('.record')
  t.equal(await records.count(), 2)
  t.match(
    await records.nth(0).innerText(),
    /Bob[^]*first_name\s+7\s+first_name must be a string[^]*email\s+"no address"\s+email must be a valid email address/,
  )
  t.match(await records.nth(1).innerText(), /must identify its employee/)
  await records.nth(1).locator('summary').click()
  t.match(await records.nth(1).innerText(), /missing_locator[^]*\{\n {2}"last_name": "Nobody"\n\}/)
  await page.getByRole('link', { name: '422 validation_failed' }).click()
  await page.waitForURL('**/problems/validation_failed')
  t.same(faults, [])
})

await t.test('which records failed and why takes no click; exporting those of a cause takes one', async (t) => {
  const { page, faults } = await openPage(t, browser, service, { viewport: { width: 1440, height: 900 } })
  await signIn(page, service.company, 'admin')
  const people = Array.from({ length: 200 }, (_, at) => employee({ external_id: `N-${at}` }))
  const created = await call('POST', '/v1/employees', people)
  const body = created.employees.map(({ id }, at) => (at % 2 === 0 ? { id, phone: '12' } : { id, shoe_size: at }))
  const { path } = await call('PATCH', '/v1/employees', body)
  await page.goto(path)
  const height = page.viewportSize()!.height
  const boxes = await Promise.all((await page.locator('.record').all()).map((record) => record.boundingBox()))
  t.ok(boxes.filter((box) => box!.y + box!.height <= height).length >= 25, 'records without scrolling')
  const cause = page.locator('.causes li').filter({ hasText: 'phone needs a country code' })
  t.match(await cause.innerText(), /^100 ×/)
  const downloading = page.waitForEvent('download')
  await cause.getByRole('link', { name: 'JSON' }).click()
  const download = await downloading
  t.match(download.suggestedFilename(), /^failed-records-\d{4}-\d\d-\d\dT\d{4}Z-log_\w+\.json$/)
  t.strictSame(JSON.parse(await text(await download.createReadStream())), {
    employees: body.filter((_, at) => at % 2 === 0),
  })
  await cause.getByRole('link', { name: 'phone needs' }).first().click()
  await page.waitForURL('**error=invalid_format**')
  t.equal(await page.locator('.record').filter({ hasText: 'shoe_size' }).count(), 0)
  await page.getByRole('link', { name: 'Remove this filter' }).click()
  await page.waitForURL(`**${path}#causes`)
  t.same(faults, [])
})

await t.test(
  'choosing a cause keeps the causes and the filter in view, at any width and without scripts',
  async (t) => {
    const wrong = {
      phone: '12',
      start_date: 'soon',
      email: 'none',
      status: 'gone',
      shoe_size: 1,
      hat_size: 2,
      last_name: 7,
    }
    const people = made.employees.flatMap((one) => Array.from({ length: 60 }, () => one))
    const { path } = await call(
      'PATCH',
      '/v1/employees',
      people.map(({ id }) => ({ id, ...wrong })),
    )
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
      [390, 844],
    ] as const) {
      const { page } = await openPage(t, browser, service, { viewport: { width, height }, javaScriptEnabled: false })
      await signIn(page, service.company, 'admin')
      await page.goto(path)
      for (const cause of [
        'phone needs a country code, unless the company has a country',
        'This field does not exist; put your own fields into custom_attributes: shoe_size',
      ]) {
        await page.getByText(/further causes?$/).click()
        await page.locator('.causes').getByRole('link', { name: cause }).first().click()
        await page.waitForURL('**error=**#causes')
        const chosen = page.locator('.causes [aria-current]')
        t.match(await chosen.innerText(), cause)
        for (const part of [page.locator('.causes').first(), chosen, page.locator('.chosen')]) {
          const { y, height: tall } = (await part.boundingBox())!
          t.ok(y > -1 && y + tall <= height, `${cause} at ${width} pixels: ${y} to ${y + tall}`)
        }
      }
      await page.getByRole('link', { name: 'Next' }).click()
      await page.waitForURL('**cursor=**')
      t.match(await page.locator('.chosen').innerText(), 'shoe_size', 'the next page has the same filter')
    }
  },
)

await t.test('everything a client sent is shown as text', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  page.on('dialog', () => t.fail('an injected script has run'))
  for (const path of [made.path, changed.path, failed.path, `${failed.path}/records/0`]) {
    await page.goto(path)
    t.equal(await page.locator('main :is(img, script, b, u, i)').count(), 0, path)
  }
  await page.goto(made.path)
  const record = page.locator('.record').first()
  await record.locator('summary').first().click()
  for (const shown of [
    HOSTILE.first_name,
    HOSTILE.last_name,
    HOSTILE.job_title,
    HOSTILE.department,
    HOSTILE.location,
    '&amp;<i>value</i>',
  ]) {
    t.ok(await record.getByText(shown, { exact: true }).last().isVisible(), shown)
  }
  t.ok(await record.getByText('<b>key</b>', { exact: true }).last().isVisible())
  await page.goto(`${made.path}?q=${encodeURIComponent('"><script>alert(4)</script>')}`)
  t.equal(await page.getByLabel('Person', { exact: true }).inputValue(), '"><script>alert(4)</script>')
  t.same(faults, [])
})

await t.test('each changed attribute shows its old and new value, and a long one in full when opened', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(changed.path)
  const records = page.locator('.record')
  t.strictSame(await records.locator('.badge').allTextContents(), ['Synced', 'Deactivated', 'No Updates'])
  const attribute = (record: number, name: string) =>
    records
      .nth(record)
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name, exact: true }) })
  t.equal(await attribute(0, 'First name').locator('del bdi').textContent(), HOSTILE.first_name)
  t.equal(await attribute(0, 'First name').locator('ins bdi').textContent(), '<b>bold</b>')
  t.match(await attribute(0, 'Job title').locator('ins').innerText(), /not set/)
  t.match(await attribute(1, 'Department').locator('del').innerText(), /not set/)
  t.match(await attribute(1, 'Department').locator('ins').innerText(), long)
  t.match(await attribute(1, 'Status').innerText(), /active[^]*→[^]*inactive/)
  const note = attribute(0, 'note').locator('ins')
  t.notOk(await note.getByText('m'.repeat(1000), { exact: true }).isVisible())
  await note.locator('summary').click()
  t.ok(await note.getByText('m'.repeat(1000), { exact: true }).isVisible())
  t.equal(await records.nth(0).locator('.person').innerText(), `<b>bold</b> ${HOSTILE.last_name}`, 'the current name')
  t.same(faults, [])
})

await t.test("a record has its own address, and another company's entry is not found", async (t) => {
  const other = await service.makeCompany('Other')
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(changed.path)
  await page.getByRole('link', { name: 'Record 2', exact: true }).click()
  await page.waitForURL(`**${changed.path}/records/1`)
  t.match(await page.locator('h1').innerText(), /^Record 2 · Update 3 · HR sync\s+Deactivated$/)
  t.match(await page.locator('.entry').innerText(), /Status[^]*active[^]*→[^]*inactive/)
  for (const path of ['/records/3', '/records/x', '/records/-1', '/records/99999999999'])
    t.equal((await page.goto(changed.path + path))?.status(), 404, path)
  t.equal((await page.goto(`${failed.path}/records/1`))?.status(), 404, 'it caused nothing')
  const stranger = await openPage(t, browser, service)
  await signIn(stranger.page, other, 'admin')
  for (const path of ['', '/records/0']) {
    const foreign = await stranger.page.goto(changed.path + path)
    const unknown = await stranger.page.goto(`${LOGS}/log_01h455vb4pex5vsknk084sn02q${path}`)
    t.strictSame([foreign?.status(), unknown?.status()], [404, 404], path)
  }
  t.same([...faults, ...stranger.faults], [])
})

await t.test('the raw events of a call are those in the ledger', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(changed.path)
  await page.getByRole('link', { name: 'View raw events' }).click()
  await page.waitForURL('**/settings/events?id=log_**view=raw')
  const { rows } = await service.pool.query('select type, data from events where call_id = $1 order by position desc', [
    toUuid(changed.id),
  ])
  const stored = rows.map(({ type, data }) => [type, data === '{}' ? null : JSON.parse(data)])
  t.strictSame(
    stored.map(([type]) => type),
    ['ApiCallCompleted', 'EmployeeDeactivated', 'EmployeeUpdated', 'EmployeeUpdated'],
  )
  t.equal(await page.locator('.events tbody').count(), stored.length)
  for (const [at, [type, data]] of stored.entries()) {
    const shown = page.locator('.events tbody').nth(at)
    t.match(await shown.locator('tr').first().textContent(), type)
    if (data !== null) t.strictSame(JSON.parse((await shown.locator('pre').textContent())!), data)
  }
  t.same(faults, [])
})

await t.test('one click copies an id, and without scripts everything is still there', async (t) => {
  const { page, faults } = await openPage(t, browser, service, { permissions: ['clipboard-read', 'clipboard-write'] })
  await signIn(page, service.company, 'admin')
  await page.goto(failed.path)
  await page.getByRole('button', { name: 'Copy ID' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), failed.id)
  const plain = await openPage(t, browser, service, { javaScriptEnabled: false })
  await signIn(plain.page, service.company, 'admin')
  await plain.page.goto(failed.path)
  t.notOk(await plain.page.locator('[data-copy]').isVisible())
  await plain.page.getByLabel('Person', { exact: true }).fill('bob')
  await plain.page.getByRole('button', { name: 'Search' }).click()
  await plain.page.waitForURL('**q=bob**')
  t.strictSame(await plain.page.locator('.record th a').allTextContents(), ['Record 1'])
  await plain.page.locator('.record summary').click()
  t.match(await plain.page.locator('.record pre').innerText(), /"no address"/)
  t.same([...faults, ...plain.faults], [])
})

import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { employee, startService } from '../../support/service.ts'
import { ERASE } from '../../support/ledger/event-row.ts'

const LOGS = '/settings/bulk-user-logs'
const browser = await openBrowser()

await t.test(
  'an entry with 10,000 records is read page by page, in both directions, and searched on the server',
  async (t) => {
    const service = await startService(t, { MAX_RECORDS: '10000', BODY_LIMIT: String(32 * 1024 * 1024) })
    const body = Array.from({ length: 10_000 }, (_, at) =>
      employee({ last_name: `No${at}`, status: at % 1000 === 7 ? 'inactive' : 'active' }),
    )
    const { body: made } = await service.call('POST', '/v1/employees', { body })
    await service.project()
    const path = `${LOGS}/${made.log_id}`
    const { page, faults } = await openPage(t, browser, service)
    await signIn(page, service.company, 'admin')
    await page.goto(path)
    const titles = () => page.locator('.record th a').allTextContents()
    const numbers = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `Record ${from + at + 1}`)
    t.strictSame(await titles(), numbers(0, 50))
    t.notOk(await page.getByRole('link', { name: 'Previous' }).isVisible())
    await page.getByRole('link', { name: 'Next' }).click()
    await page.waitForURL('**cursor=**')
    t.strictSame(await titles(), numbers(50, 100))
    await page.getByRole('link', { name: 'Previous' }).click()
    await page.waitForURL('**before=**')
    t.strictSame(await titles(), numbers(0, 50))
    await page.getByRole('link', { name: '200', exact: true }).click()
    await page.waitForURL('**limit=200**')
    t.equal((await titles()).length, 200)
    await page.getByLabel('Person', { exact: true }).fill('No9999')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL('**q=No9999**')
    t.strictSame(await titles(), ['Record 10000'])
    await page.getByRole('link', { name: 'Record 10000' }).click()
    await page.waitForURL(`**${path}/records/9999`)
    t.match(await page.locator('main').innerText(), 'No9999')
    await page.goto(`${path}?status=Synced`)
    await page.getByText('No matching records.').waitFor()
    const answer = await page.goto(`${path}?status=Lost`)
    t.equal(answer?.status(), 400)
    await page.getByText('This filter is not valid').waitFor()
    await page.goto(path)
    await page.getByRole('link', { name: 'View raw events' }).click()
    t.equal(await page.locator('.events tbody').count(), 50, 'the last of 10,000 events')
    await page.getByRole('link', { name: 'Older' }).click()
    await page.waitForURL('**position=**')
    t.equal(await page.locator('.events tbody').count(), 50)
    t.same(faults, [])
  },
)

await t.test('a refused record of any size and shape is shown as far as a page can show it', async (t) => {
  const service = await startService(t)
  const body = [
    {
      first_name: 'A'.repeat(50_000),
      custom_attributes: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, {}])),
    },
    'no object',
    null,
    [],
    { '': 1, 'a/b~c': '\u202e', email: {} },
  ]
  const calls = [body, { employees: body }, body[4]]
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const sent of calls) {
    const answer = await service.call('POST', '/v1/employees', { body: sent })
    await service.project()
    await page.goto(`${LOGS}/${answer.body.log_id}`)
    const last = page.locator('.record').last()
    await last.locator('summary').click()
    t.match(await last.innerText(), /"a\/b~c": ".*",?\n↑ This field does not exist/)
    t.match(await last.innerText(), /"email": \{\},?\n↑ email must be a string/)
    t.match(await last.innerText(), /An employee needs first_name or last_name required at/)
  }
  const malformed = await service.call('POST', '/v1/employees', { body: '{"employees": [' })
  await service.project()
  await page.goto(`${LOGS}/${malformed.body.log_id}`)
  t.match(await page.locator('main').innerText(), /The API refused the call:[^]*malformed_json/)
  t.same(faults, [])
})

await t.test('erased values are shown as erased', async (t) => {
  const service = await startService(t)
  const made = await service.call('POST', '/v1/employees', { body: employee() })
  const { id } = made.body.employees[0]
  const calls = [
    made,
    await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Secret' } }),
    await service.call('POST', '/v1/employees', { body: { last_name: 'Secret' } }),
  ]
  await service.project()
  await asSuperuser(
    service.urls.superUrl,
    `update events set ${ERASE} where company_id = '${toUuid(service.company.id)}' and type like 'Employee%'`,
  )
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const { body } of calls) {
    await page.goto(`${LOGS}/${body.log_id}`)
    t.match(await page.locator('.record').innerText(), 'has been erased')
    t.notMatch(await page.locator('main').innerText(), 'Secret')
    await page.goto(`/settings/events?view=raw&id=${body.log_id}`)
    t.match(await page.locator('.events tbody').last().innerText(), 'Data: erased')
  }
  t.same(faults, [])
})

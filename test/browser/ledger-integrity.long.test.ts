import { text } from 'node:stream/consumers'
import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { readHead } from '../../src/ledger/read/read-head.ts'
import { parseCheckpoints } from '../../src/ledger/audit/signed-note.ts'
import { lockTables } from '../support/postgres/lock-tables.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { employee, startService } from '../support/service.ts'

const browser = await openBrowser()
const service = await startService(t)
await service.call('POST', '/v1/employees', { body: Array.from({ length: 300 }, () => employee()) })
const LEDGER = '/settings/ledger'

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `an auditor verifies the ledger, and sees the progress ${javaScriptEnabled ? 'with' : 'without'} scripts`,
    async (t) => {
      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
      await signIn(page, service.company, 'auditor')
      await page.getByRole('link', { name: 'Ledger integrity' }).click()
      const unlock = await lockTables(service, 'events')
      await page.getByRole('button', { name: 'Verify ledger' }).click()
      await page.getByRole('progressbar').waitFor()
      t.match(await page.getByRole('status').textContent(), /Verified 0 of 3\d\d events/)
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('The last verification was canceled').waitFor()
      await page.getByRole('button', { name: 'Verify ledger' }).click()
      await page.getByRole('progressbar').waitFor()
      await unlock()
      await page.getByText('Consistent').waitFor()
      t.match(await page.locator('#run').innerText(), /All 3\d\d events are as they were recorded/)
      t.match(await page.locator('#run').innerText(), 'Started by auditor')
      t.same(faults, [])
    },
  )
}

await t.test('the checkpoint is shown with its root and size, and can be downloaded', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  await page.goto(LEDGER)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download checkpoint' }).click(),
  ])
  const [checkpoint] = parseCheckpoints(await text(await file.createReadStream()))!
  t.equal(await page.locator('#root').textContent(), checkpoint!.root.toString('base64'))
  const { position } = await readHead(service.db, service.company.id)
  t.equal(checkpoint!.size, position)
  t.match(await page.locator('#command').textContent(), /audit verify ledger\.ndjson .*--key 'employee-ledger\/com_/s)
  t.same(await looksOf(page, LEDGER), [])
  t.same(faults, [])
})

await t.test('a change to the ledger is shown as an alarm, with its position', async (t) => {
  const place = `company_id = '${toUuid(service.company.id)}' and position = 20`
  await asSuperuser(service.urls.superUrl, `delete from events where ${place}`)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  await page.goto(LEDGER)
  await page.getByRole('button', { name: 'Verify ledger' }).click()
  await page.locator('#run .alert').waitFor()
  t.match(await page.locator('#run .alert').innerText(), /inconsistent at position 20: the event here is missing/)
  t.same(await looksOf(page, LEDGER), [])
  t.same(faults, [])
})

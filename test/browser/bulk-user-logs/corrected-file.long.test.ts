import { readFileSync } from 'node:fs'
import t from 'tap'
import { looksOf, looksOfAnswer, openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { csvRecords } from '../../support/http/csv-rows.ts'
import { employee, startService } from '../../support/service.ts'

/* From a failed sync to corrected employees, by somebody who has a browser and a spreadsheet. */

const browser = await openBrowser()

/** Writes CSV as a spreadsheet does, with semicolons. */
const writeCsv = (rows: Record<string, string>[]) =>
  [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]
    .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';'))
    .join('\r\n')

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `a failed sync is downloaded, corrected, and applied in six clicks${javaScriptEnabled ? '' : ', without any script'}`,
    async (t) => {
      const service = await startService(t, {}, { workers: true })
      await service.call('POST', '/v1/employees', { body: [employee({ external_id: 'A-1' })] })
      const calls = [
        [employee({ external_id: 'A-2', phone: '0151 123' })],
        [employee({ external_id: 'A-3', start_date: '2026-02-30' })],
        [employee({ external_id: 'A-1', email: 'second@example.com' })],
      ]
      const failed: string[] = []
      for (const body of calls) failed.push((await service.call('POST', '/v1/employees', { body })).body.log_id)
      await service.project()

      const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
      await signIn(page, service.company, 'admin')
      let clicks = 0
      const click = async (role: 'link' | 'button', name: string | RegExp) => {
        clicks += 1
        await page.getByRole(role, { name }).click()
      }
      const [download] = await Promise.all([page.waitForEvent('download'), click('link', 'Download failed records')])
      const rows = csvRecords(readFileSync(await download.path(), 'utf8').slice(1))
      t.strictSame(
        rows.map(({ log_id: id }) => id),
        failed.toReversed(),
      )
      const corrected = rows.map((row) => ({
        ...row,
        phone: row['phone'] === '' ? '' : '+49 151 123'.replaceAll(' ', ''),
        start_date: row['start_date'] === '' ? '' : '2026-02-28',
        external_id: row['external_id'] === 'A-1' ? 'A-4' : row['external_id']!,
      }))

      await click('link', 'Upload file')
      clicks += 1
      await page
        .getByLabel('File')
        .setInputFiles({ name: 'corrected.csv', mimeType: 'text/csv', buffer: Buffer.from(writeCsv(corrected)) })
      await click('button', 'Preview')
      t.match(await page.locator('main').innerText(), /Created\s+3/)
      if (javaScriptEnabled) t.same(await looksOfAnswer(page), [])
      await click('button', 'Apply 3 records')
      await service.project()
      await click('link', 'Open its entry')
      t.equal(clicks, 6)
      t.match(await page.locator('main').innerText(), 'corrected.csv')
      for (const id of failed) {
        await page.goto(`/settings/bulk-user-logs/${id}`)
        t.match(await page.locator('main').innerText(), 'Corrected by log_')
      }
      t.same(faults, [])
    },
  )
}

await t.test('the upload page and its errors look right in both color schemes and at every width', async (t) => {
  const service = await startService(t)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  t.same(await looksOf(page, '/settings/bulk-user-logs/upload'), [])
  const csv = `email,${'unbroken'.repeat(12)},phone\n${'x'.repeat(300)},2,4.9E+12\n`
  for (const content of [csv, csv.replace('4.9E+12', '12')]) {
    await page.goto('/settings/bulk-user-logs/upload')
    await page
      .getByLabel('File')
      .setInputFiles({ name: `${'long'.repeat(40)}.csv`, mimeType: 'text/csv', buffer: Buffer.from(content) })
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('heading', { name: /Errors in/ }).waitFor()
    t.same(await looksOfAnswer(page), [])
  }
  t.same(
    faults.filter((fault) => !fault.includes('422')),
    [],
  )
})

await t.test('a large file is previewed, applied in parts without a row, and looks right at each step', async (t) => {
  const service = await startService(t, { MAX_RECORDS: '5' }, { workers: true })
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  const row = (at: number) => `L-${at},Ada,${at === 7 ? 'x'.repeat(81) : 'Lovelace'},ada.${at}@example.com`
  const csv = ['external_id,first_name,last_name,email', ...Array.from({ length: 12 }, (_, at) => row(at))].join('\n')
  await page.goto('/settings/bulk-user-logs/upload')
  await page.getByLabel('File').setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('One record has errors.').waitFor()
  await page.reload()
  t.match(await page.locator('main').innerText(), /4 × created/)
  t.same(await looksOfAnswer(page), [])
  await page.getByRole('button', { name: 'Apply 11 of 12 records' }).click()
  await page.getByText('11 of 12 rows were applied; 1 was refused.').waitFor()
  t.same(await looksOfAnswer(page), [])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download rows not applied' }).click(),
  ])
  t.equal(csvRecords(readFileSync(await download.path(), 'utf8').slice(1)).length, 1)
  t.same(await looksOf(page, '/settings/bulk-user-logs/upload'), [])
  t.same(faults, [])
})

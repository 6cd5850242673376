import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import t from 'tap'
import { axeFaults, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

/* An administrator uploads the list of another system as it is, and answers what only a person knows. */

const service = await startService(t)
const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-mapping-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const FILE = path.join(folder, 'mitarbeitende.csv')
const rows = [
  '0007;Lena;Brandt;lena.brandt@example.com;03.04.2012;;Aktiv;40',
  '0012;Jörg;von der Heide;joerg@example.com;05.06.2015;Lena Brandt;Beurlaubt;38,5',
]
writeFileSync(FILE, ['Personalnummer;Vorname;Nachname;E-Mail;Eintritt;Vorgesetzter;Status;Stunden', ...rows].join('\n'))

const browser = await openBrowser()

for (const javaScriptEnabled of [true, false])
  await t.test(`a list is imported by answering what is asked, scripts: ${javaScriptEnabled}`, async (t) => {
    const company = await service.makeCompany(`Scripts ${javaScriptEnabled}`)
    const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled })
    await signIn(page, company, 'admin')
    const upload = async () => {
      await page.goto('/settings/bulk-user-logs/upload')
      await page.setInputFiles('input[name=file]', FILE)
      await page.getByRole('button', { name: 'Preview', exact: true }).click()
    }
    await upload()
    t.match(await page.textContent('main'), /2 questions about the file are open/)
    if (javaScriptEnabled) t.strictSame(await axeFaults(page), [])
    await page.getByLabel('Order of Eintritt').selectOption('day_first')
    t.equal(await page.getByLabel('Meaning of Beurlaubt').inputValue(), '', 'no word means anything beforehand')
    await page.getByLabel('Meaning of Beurlaubt').selectOption('active')
    await page.getByText('Columns: 7 columns used').click()
    await page.getByLabel('What Stunden becomes').selectOption('custom')
    await page.getByRole('button', { name: 'Preview again' }).click()
    await page.getByRole('button', { name: 'Apply 2 records' }).waitFor()
    await page.getByRole('button', { name: 'Apply 2 records' }).click()
    await page.getByText('All records of the file were applied').waitFor()
    const { items } = (await service.call('GET', '/v1/employees?external_id=0012', { key: company.key })).body
    t.match(items, [{ start_date: '2015-06-05', manager_id: /^emp_/, custom_attributes: { Stunden: 38.5 } }])

    await upload()
    t.notMatch(await page.textContent('main'), /question/, 'the answers are remembered')
    t.match(await page.textContent('main'), /Unchanged\s+2/)
    t.strictSame(faults, [])
  })

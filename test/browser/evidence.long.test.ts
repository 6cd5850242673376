import { text } from 'node:stream/consumers'
import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { changeByte, downloadEvidence, forgeManifest, makeHistory, pack, unpack } from '../support/ledger/evidence.ts'
import { startService } from '../support/service.ts'

const browser = await openBrowser()
const service = await startService(t)
const ana = await makeHistory(service, 'Ana')
const zoe = await makeHistory(service, 'Zoe')
await service.manage('POST', '/erasures', { employee_id: zoe.id })
const archive = await downloadEvidence(service, `employee=${ana.id}`)
const files = await unpack(archive)
const whole = await downloadEvidence(service, 'from=2020-01-01T00:00:00Z')

await t.test('the browser verifies evidence files without an account, and sends nothing', async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await page.goto(`${service.address}/verify`)
  // Shown once the script can verify.
  await page.locator('#evidence').waitFor()
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  const verify = async (buffer: Buffer) => {
    await page.locator('input[type=file]').setInputFiles({ name: 'evidence.zip', mimeType: 'application/zip', buffer })
    await page.locator('#verdict[role=alert], #verdict.notice').waitFor()
    const said = await page.locator('#verdict').innerText()
    // The next verdict must not be taken for this one.
    await page.locator('#verdict').evaluate((output) => output.removeAttribute('role') ?? (output.className = ''))
    return said
  }
  const good = await verify(archive)
  t.match(good, /^8 of 8 events are in the ledger of Acme at \d+ events, signed .* by key [0-9a-f]{8}\./)
  t.match(good, 'The key is one of those of this service')
  t.match(await verify(whole), /The data of 4 of them are erased; the events that erased them are in the file/)
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
      const said = await verify(await pack({ ...files, [name]: changeByte(bytes, at) }))
      const line = bytes.subarray(0, at).toString('latin1').split('\n').length
      t.match(said, `Not verified. ${name}${name.endsWith('.ndjson') ? `, line ${line}` : ''}: `, `byte ${at}`)
    }
  }
  const lines = files['events.ndjson']!.split('\n')
  const emptied = lines.with(2, JSON.stringify({ ...JSON.parse(lines[2]!), data: null, salt: null })).join('\n')
  const forged = { ...files, 'events.ndjson': emptied }
  const said = await verify(await pack({ ...forged, 'manifest.json': forgeManifest(forged) }))
  t.match(said, 'Not verified. events.ndjson, line 3: the data are missing, and no event in the file explains it')
  t.match(await verify(Buffer.from('no zip')), 'The file could not be verified')
  t.strictSame(sent, [])
  t.same(faults, [])
  t.same(await looksOf(page, '/verify'), [])
  t.same(await looksOf(page, '/verify/format'), [])
})

await t.test('without scripts, the page says how to verify', async (t) => {
  const { page, faults } = await openPage(t, browser, service, { javaScriptEnabled: false })
  await page.goto(`${service.address}/verify`)
  await page.getByText('python3 verify_ledger.py evidence.zip').waitFor()
  t.equal(await page.locator('input[type=file]').isVisible(), false)
  t.same(faults, [])
})

await t.test("an auditor gets an evidence file from an employee's page", async (t) => {
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, service.company, 'auditor')
  await page.goto(`${service.address}/settings/employees/${ana.id}`)
  await page.getByRole('link', { name: 'Evidence file…' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download evidence file' }).click(),
  ])
  t.match(await text(await download.createReadStream()), 'events.ndjson')
  t.equal(download.suggestedFilename(), `evidence-${ana.id}.zip`)
  t.same(await looksOf(page, `/settings/ledger/evidence?employee=${ana.id}`), [])
  t.same(faults, [])
})

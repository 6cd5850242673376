import { pino } from 'pino'
import t from 'tap'
import { startApi } from '../../../src/bootstrap/api.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { openBrowser, giveCredentials } from '../../support/browser/browser.ts'
import { startMutingProxy } from '../../support/lines/muting-proxy.ts'
import { freePort } from '../../support/processes/free-port.ts'
import { startService } from '../../support/service.ts'
import { idsOf, isLive, LOGS, makeCall, rowOf, watchLog } from '../../support/processes/watched-log.ts'

const browser = await openBrowser()
const SETTINGS = { SWEEP_INTERVAL_MS: '200', STREAM_HEARTBEAT_MS: '200', STREAMS_PER_USER: '2', SIGN_IN_LIMIT: '0' }
const service = await startService(t, SETTINGS, { workers: true })

await t.test('after a server restart the page continues: nothing is missed, nothing comes twice', async (t) => {
  const own = await startService(t, { ...SETTINGS, PORT: String(await freePort()) }, { workers: true })
  const log = pino({ level: 'silent' })
  const store = { ...own, close: async () => undefined }
  const { company, first, page, faults } = await watchLog(t, browser, own, 'Restart')
  const second = await makeCall(own.address, company)
  await rowOf(page, second).waitFor()

  await own.app.close()
  await page.locator('[data-live-status]', { hasText: 'Reconnecting' }).waitFor()
  const other = await startApi({ config: { ...own.config, PORT: 0 }, urls: own.urls, store, log })
  t.teardown(() => other.stop())
  const missed = [await makeCall(other.address, company), await makeCall(other.address, company)]
  const again = await startApi({ config: own.config, urls: own.urls, store, log })
  t.teardown(() => again.stop())

  await isLive(page)
  const late = await makeCall(again.address, company)
  await rowOf(page, late).waitFor()
  t.strictSame(await idsOf(page), [late, ...missed.toReversed(), second, first])
  t.same(
    faults.filter((fault) => !fault.includes('ERR_CONNECTION_REFUSED')),
    [],
  )
})

await t.test('a connection that has gone silent is replaced', async (t) => {
  const proxy = await startMutingProxy(t, service.address)
  const { company, first, page, faults } = await watchLog(t, browser, { ...service, address: proxy.address }, 'Silent')
  const replaced = page.waitForRequest((request) => request.url().includes('/stream'))
  proxy.mute('/bulk-user-logs/stream')
  const id = await makeCall(service.address, company)
  await replaced
  await isLive(page)
  await rowOf(page, id).waitFor()
  t.strictSame(await idsOf(page), [id, first])
  t.same(faults, [])
})

await t.test('a page whose user was signed out says so, and is back after signing in', async (t) => {
  const { company, page, faults } = await watchLog(t, browser, service, 'Signed out', `${LOGS}?status=Completed`)
  await service.pool.query('delete from sessions where company_id = $1', [toUuid(company.id)])
  await page.locator('[data-live-status]', { hasText: 'Signed out' }).waitFor()
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await page.waitForURL('**/sign-in?next=**')
  await giveCredentials(page, { email: company.admin.email, password: company.admin.password })
  await page.waitForURL(`**${LOGS}?status=Completed`)
  t.same(faults, [])
})

await t.test('a tab without its own stream still looks for new entries', async (t) => {
  const { company, page } = await watchLog(t, browser, service, 'Tabs')
  const tabs = [await page.context().newPage(), await page.context().newPage()]
  await tabs[0]!.goto(LOGS)
  await isLive(tabs[0]!)
  await tabs[1]!.goto(LOGS)
  await tabs[1]!.locator('[data-live-status]', { hasText: 'Reconnecting' }).waitFor()
  const id = await makeCall(service.address, company)
  for (const tab of [page, ...tabs]) await rowOf(tab, id).waitFor()
  await page.close()
  await isLive(tabs[1]!)
})

await t.test('a tab hidden for long gives up its stream, and catches up when it is shown again', async (t) => {
  const { company, page, faults } = await watchLog(t, browser, service, 'Hidden')
  await page.clock.install()
  await page.reload()
  await isLive(page)
  const show = (state: string) =>
    page.evaluate((state) => {
      const { document, Event } = globalThis as unknown as {
        document: { dispatchEvent(event: unknown): void }
        Event: new (name: string) => unknown
      }
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/stream'))
  await show('hidden')
  await page.clock.fastForward('01:01')
  await closed
  const id = await makeCall(service.address, company)
  await service.project(company.id)
  t.equal(await rowOf(page, id).count(), 0)
  await show('visible')
  await rowOf(page, id).waitFor()
  await isLive(page)
  t.same(faults, [])
})

import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import { looksOf, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { deliverToNobody, storeDelivery } from '../support/http/stored-deliveries.ts'
import type { Service } from '../support/service.ts'
import { startService } from '../support/service.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const OOPS = {
  isDelivered: false,
  httpStatus: 500,
  error: 'The receiver answered 500',
  answer: `${HOSTILE}${'x'.repeat(1_000)}`,
}

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `an administrator creates, tests, pauses, replays, rotates and removes a webhook${javaScriptEnabled ? '' : ' without any script'}`,
    async (t) => {
      const service: Service = await startService(t, {}, { singleDeliveries: deliverToNobody(() => service.pool) })
      const { page, faults } = await openPage(t, await openBrowser(), service, { javaScriptEnabled })
      await signIn(page, service.company, 'admin')
      await page.goto('/settings/api-keys')
      await page.getByRole('link', { name: 'Webhooks' }).click()
      await page.getByRole('link', { name: 'Create webhook' }).click()
      await page.getByLabel('URL').fill('https://hooks.example.com/x')
      await page.getByLabel('Description').fill(HOSTILE)
      for (const box of await page.getByRole('group', { name: 'API keys' }).getByRole('checkbox').all())
        await box.uncheck()
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByRole('heading', { name: 'Webhook created' }).waitFor()
      t.match(await page.locator('#secret').textContent(), /^whsec_/)
      t.equal(await page.getByRole('button', { name: 'Copy secret' }).isVisible(), javaScriptEnabled)

      await page.getByRole('button', { name: 'Send test message' }).click()
      await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
      t.match(
        await page.getByRole('status').textContent(),
        'Test message delivered: the receiver answered 204 after 35 ms',
      )
      await page.getByRole('button', { name: 'Send again webhook.ping' }).click()
      await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor()
      await page.getByLabel('Result').selectOption('Failed')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('No matching deliveries.').waitFor()
      await page.getByRole('link', { name: HOSTILE }).click()

      await page.locator('summary', { hasText: 'Pause' }).click()
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByText('Paused', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.getByText('Enabled', { exact: true }).waitFor()
      await page.getByRole('heading', { name: 'Replay' }).click()
      await page.getByLabel('Or events after number').fill('2')
      await page.getByRole('button', { name: 'Replay' }).click()
      await page.getByRole('link', { name: 'event 2', exact: true }).waitFor()
      await page.locator('main').getByRole('heading', { name: 'Settings' }).click()
      await page.getByLabel('Messages contain').selectOption('Values, too')
      await page.getByRole('button', { name: 'Save' }).click()
      t.match(await page.getByRole('status').textContent(), 'Changes saved.')
      const [hook] = (await service.manage('GET', '/webhooks')).body.items
      t.match(hook, { include_data: true, position: 2, description: HOSTILE })
      t.strictSame(
        hook.types,
        WEBHOOK_TYPES.filter((type) => !type.startsWith('api_key.')),
      )

      await page.getByRole('link', { name: 'Remove…' }).click()
      await page.getByLabel('to confirm').fill('hooks.example.com')
      await page.getByRole('button', { name: 'Remove webhook' }).click()
      await page.getByText('No webhooks yet').waitFor()
      t.same(faults, [])
    },
  )
}

await t.test('the time of a delivery is one stop of Tab, and shows its date when it has the focus', async (t) => {
  const service = await startService(t)
  const { body: hook } = await service.manage('POST', '/webhooks', { url: 'https://example.com/' })
  const { id } = await storeDelivery(service.pool, service.company.id, hook.id, {})
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, service.company, 'admin')
  await page.goto(`/settings/webhooks/${hook.id}/deliveries`)
  const link = page.locator(`tbody a[href$="/deliveries/${id}"]`)
  const width = async () => (await link.locator('.when-full').boundingBox())!.width
  t.ok((await width()) <= 1)
  await link.focus()
  t.ok((await width()) > 100)
  await page.keyboard.press('Tab')
  t.match(await page.locator(':focus').textContent(), /^Event \d+$/)
  t.same(faults, [])
})

await t.test('the webhook pages look right in both color schemes and at every width, with hostile texts', async (t) => {
  const service = await startService(t)
  const create = async (body: object) => (await service.manage('POST', '/webhooks', body)).body.id as string
  const long = await create({ url: `https://example.com/${'x'.repeat(2_000)}` })
  const hostile = await create({ url: 'https://example.com/', description: HOSTILE, types: ['api_key.revoked'] })
  for (let at = 0; at < 3; at += 1) {
    await storeDelivery(service.pool, service.company.id, hostile, at === 1 ? {} : OOPS)
  }
  const { id } = await storeDelivery(service.pool, service.company.id, hostile, OOPS)
  await service.pool.query(
    `update webhook_progress set attempts = 3, failing_since = now() - interval '2 hours', due_at = now(), error = $2
     where webhook_id = $1`,
    [toUuid(hostile), OOPS.error],
  )
  await service.pool.query(
    `update webhooks set status = 'disabled', disabled_reason = 'gone', disabled_at = now() where webhook_id = $1`,
    [toUuid(long)],
  )
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, service.company, 'admin')
  const { id: ping } = await storeDelivery(service.pool, service.company.id, hostile, {
    type: 'webhook.ping',
    position: null,
    answer: 'unbroken'.repeat(100),
  })
  const paths = ['', '/new', `/${long}`, `/${hostile}?sent=${id}`, `/${hostile}/deliveries`, `/${long}/remove`]
  paths.push(...[id, ping].map((delivery) => `/${hostile}/deliveries/${delivery}`))
  for (const path of paths) t.same(await looksOf(page, `/settings/webhooks${path}`), [], path)
  t.same(await looksOf(page, '/settings/health'), [])
  t.same(faults, [])
})

import { hash } from 'node:crypto'
import t from 'tap'
import { looksOf, looksOfAnswer, openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { startService } from '../support/service.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `an administrator issues, renames, rotates, disables and revokes a key${javaScriptEnabled ? '' : ' without any script'}`,
    async (t) => {
      const service = await startService(t)
      const permissions = javaScriptEnabled ? { permissions: ['clipboard-read', 'clipboard-write'] } : {}
      const { page, faults } = await openPage(t, await openBrowser(), service, { javaScriptEnabled, ...permissions })
      await signIn(page, service.company, 'admin')
      await page.goto('/settings/api-keys')
      await page.getByRole('link', { name: 'Create API key' }).click()
      await page.getByLabel('Name').fill(HOSTILE)
      await page.getByLabel('Quota', { exact: true }).fill('5')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('heading', { name: 'API key created' }).waitFor()
      const key = {
        api_id: (await page.locator('#api-id').textContent())!,
        api_key: (await page.locator('#secret').textContent())!,
      }
      t.equal((await service.call('GET', '/v1/auth/verify', { key })).status, 200)
      const copy = page.getByRole('button', { name: 'Copy secret' })
      if (javaScriptEnabled) {
        await copy.click()
        await page.getByRole('button', { name: 'Copied' }).waitFor()
        t.equal(await page.evaluate('navigator.clipboard.readText()'), key.api_key)
      } else t.equal(await copy.isVisible(), false)

      await page.reload()
      t.equal(await page.locator('#secret').textContent(), key.api_key)
      t.equal((await service.manage('GET', '/api-keys')).body.items.length, 2, 'reloading the answer issues nothing')

      await page.goto('/settings/api-keys')
      await page.getByRole('link', { name: HOSTILE }).click()
      t.equal(await page.locator('h1').textContent(), HOSTILE, 'shown as text')
      await page.getByText('Name, quota and access').click()
      await page.getByLabel('Name').fill('Nightly sync')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { level: 1, name: 'Nightly sync' }).waitFor()
      t.match(await page.getByRole('status').textContent(), 'Changes saved.')

      await page.getByText('Secret rotation').click()
      await page.getByLabel('Expire current secret').selectOption('after 1 hour')
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('heading', { name: 'Secret rotated' }).waitFor()
      const rotated = { ...key, api_key: (await page.locator('#secret').textContent())! }
      for (const works of [key, rotated])
        t.equal((await service.call('GET', '/v1/auth/verify', { key: works })).status, 200)
      await page.getByRole('link', { name: 'View key' }).click()
      t.match(await page.getByText('Works until').textContent(), /in 1 hour\s+\d+ \w+ \d+, \d\d:\d\d:\d\d UTC/)

      await page.locator('summary', { hasText: 'Disable' }).click()
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByText('Disabled', { exact: true }).waitFor()
      t.equal((await service.call('GET', '/v1/auth/verify', { key: rotated })).body.is_enabled, false)
      await page.getByRole('button', { name: 'Enable' }).click()
      await page.getByText('Enabled', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Revoke…' }).click()
      await page.getByRole('link', { name: 'Cancel' }).click()
      await page.getByRole('link', { name: 'Revoke…' }).click()
      await page.getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('Revoked', { exact: true }).waitFor()
      t.equal((await service.call('GET', '/v1/auth/verify', { key: rotated })).status, 401)
      t.same(faults, [])
    },
  )
}

await t.test('the remaining overlap counts down by itself', async (t) => {
  const service = await startService(t)
  const { api_id: id } = service.company.key
  await service.manage('POST', `/api-keys/${id}/rotate`, { overlap_seconds: 30 })
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, service.company, 'admin')
  await page.goto(`/settings/api-keys/${id}`)
  const left = page.getByText('Works until').locator('[data-since]')
  const first = await left.textContent()
  t.match(first, /^in \d+ seconds$/)
  await left.filter({ hasNotText: first! }).waitFor()
  t.match(await left.textContent(), /^in \d+ seconds?$/)
  t.same(faults, [])
})

await t.test('a key is narrowed in the browser', async (t) => {
  const service = await startService(t)
  const { api_id: id } = service.company.key
  const { page, faults } = await openPage(t, await openBrowser(), service)
  await signIn(page, service.company, 'admin')
  await page.goto(`/settings/api-keys/${id}`)
  await page.getByText('Name, quota and access').click()
  await page.getByLabel('Access').selectOption('read only')
  await page.getByLabel('Expires').fill('2099-05-04T03:02')
  await page.getByLabel('Allowed networks').fill('192.0.2.0/24\n2001:db8::1')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changes saved').waitFor()
  const narrowed = {
    scopes: ['employees:read'],
    expires_at: '2099-05-04T03:02:00.000Z',
    allowed_networks: ['192.0.2.0/24', '2001:db8::1/128'],
  }
  t.match((await service.manage('GET', `/api-keys/${id}`)).body, narrowed)
  await page.getByText('Name, quota and access').click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changes saved').waitFor()
  t.match((await service.manage('GET', `/api-keys/${id}`)).body, narrowed, 'saving the form as it is changes nothing')
  t.same(faults, [])
})

await t.test(
  'the key pages look right in both color schemes and at every width, with hostile and long names',
  async (t) => {
    const service = await startService(t)
    const { body: long } = await service.manage('POST', '/api-keys', {
      name: 'x'.repeat(120),
      quota_limit: 2_147_483_647,
      scopes: ['employees:write'],
      expires_at: new Date(Date.now() + 10 * 86_400_000).toISOString(),
      allowed_networks: Array.from({ length: 32 }, (_, at) => `2001:db8:${at}:ffff:ffff:ffff:ffff:fff${at % 8}`),
    })
    const { body: revoked } = await service.manage('POST', '/api-keys', { name: HOSTILE })
    await service.manage('POST', `/api-keys/${revoked.id}/revoke`)
    await service.manage('POST', `/api-keys/${long.id}/rotate`, {})
    const { page, faults } = await openPage(t, await openBrowser(), service)
    await signIn(page, service.company, 'admin')
    const paths = ['', '?status=disabled', '/new', `/${long.id}`, `/${revoked.id}?done=revoked`, `/${long.id}/revoke`]
    for (const path of paths) t.same(await looksOf(page, `/settings/api-keys${path}`), [])
    t.same(faults, [])
  },
)

for (const javaScriptEnabled of [true, false]) {
  await t.test(
    `a pasted secret leads to its key${javaScriptEnabled ? ', and only its hash is sent' : ' without any script'}`,
    async (t) => {
      const service = await startService(t)
      const { page, faults } = await openPage(t, await openBrowser(), service, { javaScriptEnabled })
      await signIn(page, service.company, 'admin')
      await page.goto('/settings/api-keys')
      const secret = service.company.key.api_key
      t.ok(await page.getByRole('cell', { name: secret.slice(-4) }).isVisible())
      const find = async (text: string) => {
        await page.getByLabel('Find a key or token').fill(text)
        const [request] = await Promise.all([
          page.waitForRequest((sent) => sent.method() === 'POST'),
          page.getByRole('button', { name: 'Find' }).click(),
        ])
        await page.getByRole('heading', { name: 'Keys and tokens found' }).waitFor()
        return new URLSearchParams(request.postData()!)
      }
      const sent = await find(`x-api-key: ${secret}`)
      if (javaScriptEnabled)
        t.strictSame(
          [...sent],
          [
            ['q', ''],
            ['secret_sha256', hash('sha256', secret)],
          ],
        )
      else t.equal(sent.get('q'), `x-api-key: ${secret}`)
      t.notMatch(page.url(), secret)
      t.notMatch(await page.content(), secret)
      if (javaScriptEnabled) t.same(await looksOfAnswer(page), [])
      t.ok(await page.getByRole('cell', { name: 'Its secret' }).isVisible())
      t.equal((await find(secret.slice(-4))).get('q'), secret.slice(-4), 'other texts are sent as they are')
      await page.getByRole('link', { name: service.company.key.name }).click()
      await page.waitForURL(`**/settings/api-keys/${service.company.key.api_id}`)
      t.same(faults, [])
    },
  )
}

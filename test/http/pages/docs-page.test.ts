import t from 'tap'
import { startService } from '../../support/service.ts'

const service = await startService(t)
const get = (path: string) => service.call('GET', path, { key: null })
const page = await get('/docs')
const sources = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source!)

await t.test('the reference page needs no key and is made from the document', async (t) => {
  t.equal(page.status, 200)
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  t.match((await get('/docs/start.js')).body, /"url":"\/openapi\.json"/)
})

await t.test('the page loads everything from the service itself', async (t) => {
  t.strictSame(sources, ['/docs/reference.js', '/docs/start.js'])
  for (const source of sources) {
    const { status, headers, body } = await get(source)
    t.match({ status, type: headers['content-type'] }, { status: 200, type: 'text/javascript; charset=utf-8' }, source)
    t.ok(body.length > 50)
  }
  t.notMatch(page.body, /https?:/)
  t.notMatch((await get('/docs/start.js')).body, /https?:/)
})

await t.test('the script has no style sheet that loads anything from elsewhere', async (t) => {
  const { body } = await get('/docs/reference.js')
  // A setting and the policy keep it from loading fonts.
  t.strictSame([...String(body).matchAll(/@import\s*(?:url\()?["'`]?https?:/g)], [])
  t.match((await get('/docs/start.js')).body, /"withDefaultFonts":false/)
})

await t.test('the policy restricts the page to the service, and forbids inline scripts', async (t) => {
  const policy = Object.fromEntries(
    page.headers['content-security-policy']!.split('; ').map((line) => [
      line.split(' ', 1)[0],
      line.split(' ').slice(1).join(' '),
    ]),
  )
  t.strictSame(policy, {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'connect-src': "'self'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  })
  t.notMatch(page.body, /<script(?! src=)/)
})

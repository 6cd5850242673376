import t from 'tap'
import { RECORD_ERROR_CODES } from '../../../src/domain/errors.ts'
import { PROBLEM_CODES, PROBLEM_TEXTS } from '../../../src/pages/reference/problem-texts.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t)
/** Some codes are those of calls, too. */
const ONLY_OF_RECORDS = RECORD_ERROR_CODES.filter((code) => !(PROBLEM_CODES as string[]).includes(code))
const page = (path: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8') =>
  service.call('GET', path, { key: null, headers: { accept } })

await t.test(
  'a browser gets a page that says when it happens, what to do, and whether there is an entry',
  async (t) => {
    for (const code of PROBLEM_CODES) {
      const { status, headers, body } = await page(`/problems/${code}`)
      t.equal(status, 200, code)
      t.equal(headers['content-type'], 'text/html; charset=utf-8')
      for (const part of [code, 'When it happens', 'What to do', 'Bulk User Logs'])
        t.ok(body.includes(part), `${code}: ${part}`)
      const text = body.replaceAll(/<\/?code>/g, '`')
      t.ok(text.includes(escaped(PROBLEM_TEXTS[code].when)), code)
    }
  },
)

await t.test('every code of a record has a page that says when it happens and what to do', async (t) => {
  for (const code of RECORD_ERROR_CODES) {
    const { status, body } = await page(`/problems/${code}`)
    t.equal(status, 200, code)
    for (const part of [code, 'When it happens', 'What to do']) t.ok(body.includes(part), `${code}: ${part}`)
  }
  for (const code of ONLY_OF_RECORDS) {
    const { body } = await page(`/problems/${code}`, 'application/json')
    t.match(body, { code, problem: '/problems/validation_failed' })
  }
})

await t.test('a client that asks for JSON gets it, with the type of problem documents', async (t) => {
  const { body: refused } = await service.call('GET', '/v1/employees/x')
  for (const accept of ['application/json', 'application/problem+json']) {
    const { status, body } = await page(refused.type, accept)
    t.equal(status, 200)
    t.match(body, { type: refused.type, code: refused.code, status: refused.status, title: refused.title })
    t.strictSame(Object.keys(body), ['type', 'code', 'status', 'title', 'when', 'remedy', 'log_entry'])
  }
  const { body } = await page('/problems', 'application/json')
  t.strictSame(
    body.items.map(({ code }: { code: string }) => code),
    [...PROBLEM_CODES, ...ONLY_OF_RECORDS],
  )
})

await t.test('an unknown code is a 404 problem, whatever its name', async (t) => {
  for (const code of ['nothing', 'constructor', '__proto__', '%3Cscript%3E']) {
    t.match(await page(`/problems/${code}`, 'application/json'), { status: 404, body: { code: 'route_not_found' } })
  }
})

await t.test('the pages load only from this server, and the list links to all', async (t) => {
  const { body, headers } = await page('/problems')
  t.match(
    headers['content-security-policy'],
    /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';/,
  )
  t.notMatch(body, /<script>|<style|https?:|style=|unsafe/)
  for (const [, path] of body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
    t.match(await page(path), { status: 200, headers: { 'cache-control': /immutable/ } })
  }
  const links = [...body.matchAll(/href="\/problems\/(\w+)"/g)].map(([, code]) => code!)
  t.strictSame(new Set(links), new Set<string>([...PROBLEM_CODES, ...RECORD_ERROR_CODES]))
})

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
}

import { readFileSync } from 'node:fs'
import t from 'tap'
import { startService } from '../support/service.ts'

const service = await startService(t)
const open = async (path: string) => {
  const { status, headers, body } = await service.call('GET', path, { key: null })
  return { status, headers, text: body as string }
}

await t.test('the verifiers are those of the repository, and need no account', async (t) => {
  for (const name of ['verify_ledger.py', 'verify_ledger.go']) {
    const { status, headers, text } = await open(`/verify/${name}`)
    t.equal(status, 200)
    t.equal(text, readFileSync(`docs/${name}`, 'utf8'))
    t.equal(headers['content-disposition'], `attachment; filename="${name}"`)
  }
})

await t.test('the page shows the public keys that the verifier keys of all companies end with', async (t) => {
  const { text } = await open('/verify')
  const { items } = (await service.audit('/keys')).body as { items: { public_key: string }[] }
  t.match(text, `<code>${items[0]!.public_key.split('+').slice(2).join('+')}</code>, current`)
  const companies = [service.company.id, service.company.name]
  t.notOk(companies.some((name) => text.includes(name)))
})

await t.test('the format is a page whose links lead somewhere', async (t) => {
  const { status, text } = await open('/verify/format')
  t.equal(status, 200)
  for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) t.match(text, `id="${id}"`)
  const links = [...text.matchAll(/href="([^"#][^"]*)"/g)].map(([, href]) => href!)
  t.strictSame(
    links.filter((href) => !/^(?:https:\/\/|\/)/.test(href)),
    [],
  )
  t.match(text, '<h2 id="evidence-files">Evidence files</h2>')
  t.match(text, '<th>member</th>')
})

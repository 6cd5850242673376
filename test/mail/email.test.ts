import LinkifyIt from 'linkify-it'
import t from 'tap'
import { limitContent, quote, toPlainText, renderEmail } from '../../src/accounts/mail/email.ts'
import { inputs } from '../support/quick.ts'

const ORIGIN = 'https://ledger.example'
const render = (...paragraphs: string[]) => renderEmail({ subject: paragraphs[0]!, paragraphs }, ORIGIN)

await t.test('a name is one line, and cannot add a header', async (t) => {
  const { subject, text } = await render(`Invitation to ${quote('Acme\r\nBcc: eve@evil.example\u2028x\0')}`)
  t.equal(subject, 'Invitation to Acme Bcc: eve@ evil. example x')
  t.notMatch(text, /Acme\r?\n/)
})

await t.test('a name that is written from right to left does not reorder what stands around it', async (t) => {
  const { subject, html } = await render(`${quote('\u202eemcA\u202c \u2066x\u2069 עברית')} invited you`)
  t.equal(subject, 'emcA x עברית invited you')
  t.match(html, '<bdi>emcA x עברית</bdi> invited you')
})

await t.test('a long name is cut, and characters of any script stay whole', async (t) => {
  const { subject } = await render(quote('𝒜'.repeat(300)))
  t.equal(subject, `${'𝒜'.repeat(99)}…`)
  t.equal((await render(quote('می\u200cخواهم'))).subject, 'می\u200cخواهم')
})

await t.test('a name is escaped in HTML, and mail programs make no link of it', async (t) => {
  const { html, text } = await render(quote('<img src=x onerror=alert(1)> https://evil.example/x A/S'))
  t.notMatch(html, '<img')
  for (const form of [html, text]) t.notMatch(form, /evil\.example|https:\/\/evil/)
  t.match(text, 'A/S')
})

/** Every character, as part of an address in a name that somebody chose. */
const DISGUISES: ((character: string) => string)[] = [
  (character) => `evil${character}com`,
  (character) => `evil${character}.com/x`,
  (character) => `evil.${character}com`,
  (character) => `x${character}evil.com`,
  (character) => `https:${character}//evil.com`,
  (character) => `//${character}evil.com`,
  (character) => `eve${character}@evil.com`,
  (character) => `mailto:${character}eve@localhost`,
  (character) => `1.1.1${character}1:80`,
]

await t.test('no letter, mark, or sign of Unicode makes a link of a name', (t) => {
  const linkify = new LinkifyIt({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: true })
  const linked = new Set<string>()
  /** Of what is alike, or has no meaning yet, a part is enough. */
  const isTried = (character: string, point: number) =>
    point % inputs(997, 61) === 0 || !/[\p{Ideographic}\p{Script=Hangul}\p{Cn}\p{Co}\p{Cs}]/u.test(character)
  for (let point = 0x20; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point)
    if (!isTried(character, point) || (point > 0x3100 && point % inputs(61, 1) !== 0)) continue
    for (const disguise of DISGUISES) {
      const shown = toPlainText(quote(disguise(character)))
      // Programs may read a character as another one: by NFKC, and what separates the labels of a domain (RFC 3490).
      for (const read of new Set([shown, shown.normalize('NFKC'), shown.replace(/[\u3002\uff0e\uff61]/g, '.')]))
        if (linkify.test(`${read} invited you`)) linked.add(`${point.toString(16)} ${read}`)
    }
  }
  t.strictSame([...linked].slice(0, 20), [])
  t.ok(linkify.test('evil.com invited you'), 'the library finds links')
  t.end()
})

await t.test('names stay readable', (t) => {
  const names = [
    'Ana Pérez',
    'A/S Møller',
    'Acme Inc.',
    'Müller & Söhne (Berlin)',
    'O’Brien-Smith',
    '株式会社',
    'R&D 3+4',
  ]
  for (const name of names) t.equal(toPlainText(quote(name)), name)
  t.equal(toPlainText(quote('A.B. Smith, St.Gallen, Co.KG')), 'A. B. Smith, St. Gallen, Co. KG')
  t.equal(toPlainText(quote('https://evil.com/x...y@z')), 'https:// evil. com/x... y@ z')
  t.ok(quote('a.'.repeat(200)).length <= 200)
  t.end()
})

await t.test('both forms say the same, and the HTML loads nothing', async (t) => {
  const { text, html } = await renderEmail(
    { subject: 'A & B', paragraphs: ['One <two>', { text: 'Open it', url: `${ORIGIN}/x?a=1&b=2` }] },
    ORIGIN,
  )
  t.equal(
    text,
    `One <two>\n\nOpen it:\n${ORIGIN}/x?a=1&b=2\n\n--\nThis message was sent automatically by ${ORIGIN}. Replies are not read.\n`,
  )
  t.match(html, 'One &lt;two&gt;')
  t.match(html, `href="${ORIGIN}/x?a=1&amp;b=2"`)
  t.notMatch(html, /<img|<script|<link|<style|url\(|src=/)
  t.match(html, '<meta name="color-scheme" content="light dark" />')
})

await t.test('what is stored of a message is limited', async (t) => {
  const { subject, paragraphs } = limitContent({
    subject: 's'.repeat(500),
    paragraphs: Array<string>(100).fill('p'.repeat(5_000)),
  })
  t.equal(subject.length, 400)
  t.equal(paragraphs.length, 50)
  t.ok(paragraphs.every((paragraph) => typeof paragraph === 'string' && paragraph.length === 2_000))
})

import t from 'tap'
import { limitContent, quote } from '../../src/accounts/mail/email.ts'
import { renderEmail } from '../../src/accounts/mail/render-email.ts'

const ORIGIN = 'https://ledger.example'
const render = (...paragraphs: string[]) => renderEmail({ subject: paragraphs[0]!, paragraphs }, ORIGIN)

await t.test('a name is one line, and cannot add a header', async (t) => {
  const { subject, text } = await render(`Invitation to ${quote('Acme\r\nBcc: eve@evil.example\u2028x\0')}`)
  t.equal(subject, 'Invitation to Acme Bcc: eve@\u2060evil.\u2060example x')
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
  t.equal(paragraphs.length, 40)
  t.ok(paragraphs.every((paragraph) => typeof paragraph === 'string' && paragraph.length === 2_000))
})

import t from 'tap'
import { browse } from '../../support/http/sessions.ts'
import { startService } from '../../support/service.ts'

/* The first page of a sign-in, and the page of a one-time link. */

const service = await startService(t)
const { admin } = service.company

await t.test(
  'email and password are on one page; single sign-on is offered only where a provider may be',
  async (t) => {
    const { text } = await browse(service, '/sign-in')
    t.match(text, /name="email"[^]*name="password"[^]*Sign in<\/button>/)
    t.notMatch(text, 'single sign-on', 'without an address of the service, no provider works')
    const ready = await startService(t, { PUBLIC_URL: 'http://localhost:3000' })
    t.match((await browse(ready, '/sign-in')).text, 'Continue with single sign-on')
  },
)

await t.test('a form without a password says the same to users and to strangers', async (t) => {
  const answers = []
  for (const email of [admin.email, 'nobody@example.com']) {
    const { status, text } = await browse(service, '/sign-in', { form: { email, password: '' } })
    t.match(text, 'Enter your password.')
    answers.push({ status, text: text.replaceAll(email, '') })
  }
  t.strictSame(answers[0], answers[1])
})

await t.test('a link names the company and who invited; one that does not work names nobody', async (t) => {
  const { body } = await service.manage('POST', '/users', { email: 'new@example.com', name: 'New', role: 'auditor' })
  const { token } = body.invitation
  const { text } = await browse(service, `/invitation?token=${token}`)
  t.match(text.replaceAll(/<[^>]+>/g, ''), `admin invited you to ${service.company.name}.`)
  const other = await browse(service, `/invitation?token=${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`)
  t.notMatch(other.text, service.company.name)
})

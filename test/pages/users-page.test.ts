import t from 'tap'
import { send as sendRequest, startService } from '../support/service.ts'
import { browse, cookieOf, issueToken, letsIn, OWN_PAGE } from '../support/http/sessions.ts'
import { streamOf } from '../support/ledger/company-events.ts'

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const { admin } = service.company
const cookie = await cookieOf(service, admin)
const open = (path: string) => browse(service, path, { cookie })
const send = (path: string, form: Record<string, string>) => browse(service, path, { cookie, form })
const seenOn = ({ text }: { text: string }) => /name="seen" value="(\d+)"/.exec(text)![1]!
const linkOn = ({ text }: { text: string }) => /<code id="link">([^<]+)<\/code>/.exec(text)?.[1]
const pageOn = ({ text }: { text: string }) => /href="(\/settings\/users\/usr_\w+)"/.exec(text)![1]!

/** Invites a user through the form, accepts the link, and returns the user's page. */
async function join(email: string, role: string) {
  const invited = await send('/settings/users/new', { email, name: 'Bo', role })
  const token = new URL(linkOn(invited)!).searchParams.get('token')!
  await browse(service, '/invitation', { form: { token, password: 'a password of Bo', repeated: 'a password of Bo' } })
  const page = pageOn(invited)
  return { page, id: page.slice(page.lastIndexOf('/') + 1), email, password: 'a password of Bo' }
}

const withoutBreaks = (text: string) => text.replaceAll('<wbr />', '')

await t.test(
  'an invitation shows its link once, also if it is sent twice, and another is refused as a duplicate',
  async (t) => {
    const form = { email: ' New.Person@Example.com ', name: ' New <b> ', role: 'auditor' }
    const [one, other] = await Promise.all([send('/settings/users/new', form), send('/settings/users/new', form)])
    t.equal(linkOn(one)?.startsWith(`${service.address}/invitation?token=el_link_`), true)
    t.equal(linkOn(other), linkOn(one))
    const refused = await send('/settings/users/new', { ...form, role: 'member' })
    t.match(refused, { status: 409, text: /A user with this email address already exists\./ })
    t.notOk(linkOn(refused))
    const { text } = await open('/settings/users?status=pending')
    t.match(text, 'New &lt;b&gt;')
    t.match(withoutBreaks(text), 'new.person@example.com')
    t.notMatch(text, 'el_link_')
    const events = await streamOf(service, pageOn(one).split('/').at(-1)!)
    t.equal(events.length, 1)
    t.match(events[0], { type: 'UserInvited', actor: admin.user_id })
  },
)

await t.test('invitation errors are shown at their fields', async (t) => {
  const answer = await send('/settings/users/new', { email: 'nobody', name: '', role: 'owner' })
  t.equal(answer.status, 422)
  t.match(answer.text, 'id="name-fault"')
  t.match(answer.text, 'id="role-fault"')
  t.match(await send('/settings/users/new', { email: 'nobody', name: 'x', role: 'admin' }), {
    status: 422,
    text: /id="email-fault"/,
  })
})

await t.test("the role is changed, and a former administrator can't change it back", async (t) => {
  const user = await join('role@example.com', 'member')
  t.match(await send(`${user.page}/role`, { role: 'admin' }), { status: 303, location: `${user.page}?done=role` })
  const own = await cookieOf(service, user)
  t.match(await browse(service, `${user.page}/role`, { cookie: own, form: { role: 'member' } }), {
    status: 303,
    location: '/',
  })
  t.equal((await browse(service, '/settings/users', { cookie: own })).status, 403)
  t.match(await send(`${user.page}/role`, { role: 'owner' }), { status: 422, text: /id="role-fault"/ })
})

await t.test('the last administrator can be neither removed nor demoted, and the page says why', async (t) => {
  const page = `/settings/users/${admin.user_id}`
  for (const [path, form] of [
    [`${page}/role`, { role: 'member' }],
    [`${page}/remove`, {}],
  ] as [string, Record<string, string>][]) {
    t.match(await send(path, form), {
      status: 409,
      text: /role="alert"[^>]*>No administrator who can sign in would be left; make another user an administrator first\./,
    })
  }
  t.ok(await letsIn(service, cookie))
})

await t.test('a reset shows a new link and ends the sessions; submitting it again makes none', async (t) => {
  const user = await join('reset@example.com', 'member')
  const session = await cookieOf(service, user)
  const confirmation = await open(`${user.page}/reset-password`)
  t.ok(await letsIn(service, session), 'the confirmation page ends nothing')
  t.notMatch(confirmation.text, 'This is you')
  const form = { seen: seenOn(confirmation) }
  const reset = await send(`${user.page}/reset-password`, form)
  t.match(linkOn(reset), '/invitation?token=el_link_')
  t.notOk(await letsIn(service, session))
  t.equal(linkOn(await send(`${user.page}/reset-password`, form)), linkOn(reset))
  const outdated = { seen: String(Number(form.seen) - 1) }
  t.match(await send(`${user.page}/reset-password`, outdated), { status: 412, text: /Nothing was done/ })
  const token = new URL(linkOn(reset)!).searchParams.get('token')!
  const accepted = await browse(service, '/invitation', {
    form: { token, password: 'another password', repeated: 'another password' },
  })
  t.equal(accepted.status, 200, 'the link still works')
})

await t.test('a removal ends all access of the user, who remains listed', async (t) => {
  const user = await join('gone@example.com', 'admin')
  const session = await cookieOf(service, user)
  t.equal((await open(`${user.page}/remove`)).status, 200)
  t.ok(await letsIn(service, session), 'the confirmation page ends nothing')
  t.match(await send(`${user.page}/remove`, {}), { status: 303, location: `${user.page}?done=removed` })
  t.notOk(await letsIn(service, session))
  t.match(withoutBreaks((await open('/settings/users?status=removed')).text), 'gone@example.com')
  t.notMatch(withoutBreaks((await open('/settings/users')).text), 'gone@example.com')
  t.notMatch((await open(user.page)).text, /<form method="post" action="\/settings\/users\/\w+\/(?!personal-data)/)
  t.match(await send(`${user.page}/role`, { role: 'admin' }), { status: 409, text: /has been removed/ })
})

await t.test('each page about a user leads back to the user by name', async (t) => {
  const user = await join('trail@example.com', 'member')
  const { id } = (await issueToken(service, user)).body
  const back = `<a href="${user.page}"><bdi>Bo</bdi></a>`
  for (const path of ['/reset-password', '/remove', `/tokens/${id}/revoke`])
    t.match((await open(user.page + path)).text, back, path)
})

await t.test('removed users are said to sign in with nothing', async (t) => {
  const { text } = await open('/settings/users?status=removed')
  t.match(text, '>nothing<')
  t.notMatch(text, 'nothing yet')
})

await t.test('nobody resets their own password: a stolen session or token would take over its user', async (t) => {
  const user = await join('own@example.com', 'admin')
  const own = await cookieOf(service, user)
  t.notMatch((await browse(service, user.page, { cookie: own })).text, 'reset-password')
  const path = `${user.page}/reset-password`
  t.match(await browse(service, path, { cookie: own }), { status: 303, location: '/account' })
  await browse(service, path, { cookie: own, form: { seen: '2' } })
  const { token } = (await issueToken(service, user)).body
  for (const headers of [{ authorization: `Bearer ${token}` }, { ...OWN_PAGE, cookie: own }]) {
    const answer = await sendRequest(service.address, 'POST', `/admin/v1/users/${user.id}/reset-password`, { headers })
    t.match(answer, { status: 409, body: { code: 'own_password', detail: /account page/ } })
  }
  t.ok(await letsIn(service, own))
  t.ok(await letsIn(service, await cookieOf(service, user)), 'the password still works')
})

import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import {
  addPasskey,
  askForChallenge,
  codesOn,
  seenOn,
  signInByPassword,
  WITH_PASSKEYS,
} from '../../support/http/passkeys.ts'
import type { Visitor } from '../../support/http/visitor.ts'
import { giveUnreachableProvider, UNREACHABLE_ISSUER } from '../../support/providers/company-provider.ts'
import { startService } from '../../support/service.ts'
import { streamOf } from '../../support/ledger/company-events.ts'

const service = await startService(t, { ...WITH_PASSKEYS, SIGN_IN_LIMIT: '1' })
let made = 0

/** A new company with a provider, whose member has a passkey and no password. */
async function makeHolder() {
  const company = await service.makeCompany(`Company ${(made += 1)}`)
  const { member, id } = company
  const visitor = await signInByPassword(service, member, id)
  const { authenticator } = await addPasskey(visitor, member.password)
  const change = (text: string, ...values: string[]) =>
    service.pool.query(text, [toUuid(id), toUuid(member.user_id), ...values])
  await change('update users set password_hash = null where company_id = $1 and user_id = $2')
  await giveUnreachableProvider(service.pool, id)
  const link = () =>
    change(`update users set issuer = $3, subject = 'me' where company_id = $1 and user_id = $2`, UNREACHABLE_ISSUER)
  const age = (minutes: number) =>
    change(
      `update sessions set created_at = now() - make_interval(mins => $3::integer)
       where company_id = $1 and user_id = $2`,
      String(minutes),
    )
  const countEvents = async () => (await streamOf(service, member.user_id, id)).length
  return { visitor, authenticator, link, age, countEvents }
}

const findRemoval = async (visitor: Visitor) =>
  /"(\/account\/passkeys\/psk_\w+\/remove)"/.exec((await visitor.visit('/account')).text)?.[1] ?? ''

const send = async (visitor: Visitor, page: string, action = page) => {
  const shown = await visitor.visit(page)
  return { shown, answer: await visitor.visit(action, { name: 'Other', seen: seenOn(shown.text) }) }
}

await t.test('without a password, a session that began ten minutes ago proves nothing', async (t) => {
  const { visitor, link, age, countEvents } = await makeHolder()
  const [before, removal] = [await countEvents(), await findRemoval(visitor)]
  await age(10)
  const isRefused = async (page: string, action = page) => {
    const { shown, answer } = await send(visitor, page, action)
    for (const { text } of [shown, answer]) {
      t.match(text, /formaction="\/sign-out"[^>]*>Sign in again/, action)
      t.match(text, `name="next" value="${page}"`)
      t.notMatch(text, 'name="current"')
    }
    t.match(answer, { status: 422, text: /Nothing was changed. Sign in again first/ }, action)
  }
  await isRefused('/account/passkeys/new')
  await isRefused('/account/recovery-codes')
  await isRefused(removal)
  await isRefused('/account/provider', '/account/provider/link')
  await link()
  await isRefused('/account/provider', '/account/provider/unlink')
  t.equal(await countEvents(), before)
})

await t.test('without a password, a session that began less than ten minutes ago is enough', async (t) => {
  const { visitor, link, age } = await makeHolder()
  await age(9)
  const removal = await findRemoval(visitor)
  t.match((await send(visitor, '/account/passkeys/new')).answer.text, 'data-passkey="create"')
  t.equal(codesOn((await send(visitor, '/account/recovery-codes')).answer.text).length, 10)
  t.equal((await send(visitor, '/account/provider', '/account/provider/link')).answer.status, 200)
  await link()
  const { shown, answer } = await send(visitor, '/account/provider', '/account/provider/unlink')
  t.notMatch(shown.text, 'Sign in again')
  t.match(answer, { status: 303, location: '/account?done=unlinked' })
  await link()
  t.match((await send(visitor, removal)).answer, { status: 303, location: '/account?done=passkey-removed' })
})

await t.test('signing in again leads back to the page', async (t) => {
  const { visitor, authenticator, age } = await makeHolder()
  await age(60)
  const next = '/account/recovery-codes'
  const out = await visitor.visit('/sign-out', { next, seen: '3' })
  t.match(out, { status: 303, location: '/sign-in?next=%2Faccount%2Frecovery-codes' })
  t.notOk(await visitor.isIn())
  t.match((await visitor.visit(out.location!)).text, `name="next" value="${next}"`)
  const response = authenticator.use(await askForChallenge(visitor))
  t.match(await visitor.visit('/sign-in/passkey', { response, next }), { status: 303, location: next })
  t.equal(codesOn((await send(visitor, next)).answer.text).length, 10)
  const elsewhere = await visitor.visit('/sign-out', { next: 'https://evil.example' })
  t.match(elsewhere, { status: 303, location: '/sign-in' })
})

await t.test('a password is asked for, however recent the session is', async (t) => {
  const { member } = service.company
  const visitor = await signInByPassword(service, member)
  const seen = seenOn((await visitor.visit('/account/recovery-codes')).text)
  t.equal((await visitor.visit('/account/recovery-codes', { seen })).status, 422)
})

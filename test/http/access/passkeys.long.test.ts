import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { openAuthenticator, type Algorithm, type Lies } from '../../support/http/authenticator.ts'
import {
  addPasskey,
  askForChallenge,
  askForPasskey,
  codesOn,
  ORIGIN,
  seenOn,
  signInByPassword,
  tryPasskey,
  WITH_PASSKEYS,
} from '../../support/http/passkeys.ts'
import { openVisitor } from '../../support/http/visitor.ts'
import { startService } from '../../support/service.ts'
import { shiftClock } from '../../support/shift-clock.ts'

const service = await startService(t, WITH_PASSKEYS)
const { admin, auditor, member } = service.company
const theirs = await service.makeCompany('Other')

await t.test('a user adds a passkey with their password, and signs in with it without email or password', async (t) => {
  const visitor = await signInByPassword(service, admin)
  const form = await visitor.visit('/account/passkeys/new')
  const seen = seenOn(form.text)
  const refused = [
    await visitor.visit('/account/passkeys/new', { name: 'Laptop', current: 'wrong password', seen }),
    await visitor.visit('/account/passkeys/new', { name: ' ', current: admin.password, seen }),
    await visitor.visit('/account/passkeys/new', { name: 'x'.repeat(61), current: admin.password, seen }),
  ]
  for (const [at, { status, text }] of refused.entries()) {
    t.equal(status, 422)
    t.match(text, at === 0 ? 'id="current-fault"' : 'id="name-fault"')
    t.notMatch(text, admin.password)
  }
  const { authenticator, codes } = await addPasskey(visitor, admin.password, { name: 'My <b>laptop' })
  t.equal(new Set(codes).size, 10)
  for (const code of codes) t.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/)
  const page = (await visitor.visit('/account')).text
  t.match(page, '<bdi>My &lt;b&gt;laptop</bdi>')
  t.match(page, /You have\s+<strong>10<\/strong> left/)
  const events = (await streamOf(service, admin.user_id)).slice(-2)
  t.match(events, [{ type: 'UserPasskeyAdded', data: { name: 'My <b>laptop' } }, { type: 'UserRecoveryCodesIssued' }])
  for (const event of events) t.equal(event.actor, admin.user_id)

  const other = openVisitor(service)
  t.match(await tryPasskey(other, authenticator), { status: 303, location: '/' })
  t.ok(await other.isIn())
  t.match(await other.visit('/'), { status: 303, location: '/settings/bulk-user-logs' })
})

await t.test('nothing of what was shown once, or of the key, is in the ledger or the log of events', async (t) => {
  const { rows } = await service.pool.query('select public_key, credential_id from passkeys where company_id = $1', [
    toUuid(service.company.id),
  ])
  t.equal(rows.length, 1)
  const { rows: codes } = await service.pool.query('select code_hash from recovery_codes')
  t.equal(codes.length, 10)
  const events = JSON.stringify(await streamOf(service, admin.user_id))
  for (const bytes of [rows[0].public_key, rows[0].credential_id, ...codes.map((row) => row.code_hash)])
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      t.notMatch(events, bytes.toString(encoding).slice(0, 40))
})

for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as Algorithm[]) {
  await t.test(`${algorithm}: passkeys sign in`, async (t) => {
    const { body } = await service.manage('POST', '/users', {
      email: `${algorithm}@example.com`,
      name: 'P',
      role: 'auditor',
    })
    const password = 'a good password'
    await openVisitor(service).visit('/invitation', { token: body.invitation.token, password, repeated: password })
    const visitor = await signInByPassword(service, { email: body.email, password })
    const { authenticator } = await addPasskey(visitor, password, {
      authenticator: openAuthenticator(ORIGIN, algorithm),
    })
    const other = openVisitor(service)
    t.equal((await tryPasskey(other, authenticator)).status, 303)
    t.match(await other.visit('/'), { location: '/settings/events' })
  })
}

await t.test('every lie is refused with the same answer, and the truth still works afterwards', async (t) => {
  const owner = await signInByPassword(service, auditor)
  const { authenticator } = await addPasskey(owner, auditor.password)
  const foreign = await signInByPassword(service, theirs.member, theirs.id)
  const { authenticator: stranger } = await addPasskey(foreign, theirs.member.password)
  const [company, user] = [authenticator.userHandle, stranger.userHandle].map((text) => Buffer.from(text, 'base64url'))
  const lies: Record<string, Lies> = {
    'another origin': { origin: 'http://localhost:3998' },
    'an origin that begins like ours': { origin: `${ORIGIN}.evil.example` },
    'another host': { rpId: 'evil.example' },
    'an answer to another question': { type: 'webauthn.create' },
    'a page inside another page': { crossOrigin: true },
    'nobody there': { isPresent: false, isVerified: false },
    'a user who was not verified': { isVerified: false },
    'a signature of another key': { signer: stranger },
    'the handle of a user of another company': { userHandle: stranger.userHandle },
    'the handle of another user': { userHandle: handleOf(service.company.id, member.user_id) },
    "the user of another company's handle": {
      userHandle: Buffer.concat([user!.subarray(0, 16), company!.subarray(16)]).toString('base64url'),
    },
    'no handle': { userHandle: null },
    'a handle of no user': { userHandle: Buffer.alloc(32).toString('base64url') },
    'a handle that is too long': { userHandle: Buffer.alloc(33, 1).toString('base64url') },
    'an unknown passkey': { credentialId: Buffer.alloc(32, 7) },
    "another user's passkey": { credentialId: stranger.credentialId },
    'an endless passkey': { credentialId: Buffer.alloc(1_100, 7) },
  }
  const answers = new Set<string>()
  for (const [lie, told] of Object.entries(lies)) {
    const visitor = openVisitor(service)
    const { status, text } = await tryPasskey(visitor, authenticator, told)
    t.equal(status, 401, lie)
    t.match(text, 'This passkey does not sign you in')
    t.notOk(await visitor.isIn(), lie)
    answers.add(text)
  }
  for (const response of ['', 'null', '[]', '{"id":{}}', '{"response":{"userHandle":[]}}', '['.repeat(20_000)]) {
    const visitor = openVisitor(service)
    await askForChallenge(visitor)
    const { status, text } = await visitor.visit('/sign-in/passkey', { response })
    t.equal(status, 401)
    answers.add(text)
  }
  t.equal(answers.size, 1)
  const visitor = openVisitor(service)
  t.equal((await tryPasskey(visitor, authenticator)).status, 303)
  t.ok(await visitor.isIn())
})

await t.test('an unknown passkey costs as much as a known one', async (t) => {
  const { subtle } = globalThis.crypto
  let checks = 0
  const verify = subtle.verify.bind(subtle)
  t.intercept(subtle, 'verify', {
    value: (...args: Parameters<typeof verify>) => {
      checks += 1
      return verify(...args)
    },
  })
  const visitor = await signInByPassword(service, member)
  const { authenticator } = await addPasskey(visitor, member.password)
  const count = async (lies: Lies) => {
    checks = 0
    t.equal((await tryPasskey(openVisitor(service), authenticator, lies)).status, 401)
    return checks
  }
  t.equal(await count({ signer: openAuthenticator(ORIGIN) }), 1)
  t.equal(await count({ credentialId: Buffer.alloc(32, 9) }), 1)
  t.equal(await count({ userHandle: handleOf(theirs.id, member.user_id) }), 1)
})

await t.test('a counter that goes back, or stands still, is refused', async (t) => {
  const authenticator = openAuthenticator(ORIGIN)
  authenticator.counter = 5
  await addPasskey(await signInByPassword(service, theirs.auditor, theirs.id), theirs.auditor.password, {
    authenticator,
  })
  for (const [counter, status] of [
    [6, 303],
    [6, 401],
    [5, 401],
    [0, 401],
    [7, 303],
    [4_294_967_295, 303],
  ] as const)
    t.equal((await tryPasskey(openVisitor(service), authenticator, { counter })).status, status, String(counter))
})

await t.test('what a browser makes is checked before it is stored', async (t) => {
  const fresh = await service.makeCompany('Fresh')
  const visitor = await signInByPassword(service, fresh.member, fresh.id)
  const fails = async (name: string, lies: Lies, authenticator = openAuthenticator(ORIGIN)) => {
    const options = await askForPasskey(visitor, fresh.member.password)
    const answer = await visitor.visit('/account/passkeys', { response: authenticator.create(options, lies) })
    t.equal(answer.status, 422, name)
    t.match(answer.text, 'did not make a valid passkey')
  }
  await fails('origin', { origin: 'https://evil.example' })
  await fails('host', { rpId: 'evil.example' })
  await fails('challenge', { challenge: 'AAAA' })
  await fails('type', { type: 'webauthn.get' })
  await fails('frame', { crossOrigin: true })
  await fails('verified', { isVerified: false })
  await fails('present', { isPresent: false, isVerified: false })
  await fails('algorithm', {}, openAuthenticator(ORIGIN, 'ES384'))
  const certified = new Map<string, unknown>([
    ['alg', -7],
    ['sig', new Uint8Array(70)],
    ['x5c', [new Uint8Array(400)]],
  ])
  await fails('certificates', { attestation: { fmt: 'packed', attStmt: certified } })
  await fails('format', { attestation: { fmt: 'android-safetynet', attStmt: new Map() } })
  const options = await askForPasskey(visitor, fresh.member.password)
  t.equal((await visitor.visit('/account/passkeys', { response: 'x'.repeat(20_000) })).status, 422)
  const other = await signInByPassword(service, fresh.admin, fresh.id)
  other.cookies.set('new-passkey', visitor.cookies.get('new-passkey')!)
  const stolen = await other.visit('/account/passkeys', { response: openAuthenticator(ORIGIN).create(options) })
  t.match(stolen.text, 'That took too long', "another user's question")
  const { rows } = await service.pool.query('select 1 from passkeys where company_id = $1', [toUuid(fresh.id)])
  t.equal(rows.length, 0)
  const types = (await streamOf(service, fresh.member.user_id, fresh.id)).map(({ type }) => type)
  t.notOk(types.includes('UserPasskeyAdded'))
})

await t.test('an answer adds one passkey, also when it is sent twice, and a user has ten at most', async (t) => {
  const fresh = await service.makeCompany('Ten')
  const visitor = await signInByPassword(service, fresh.member, fresh.id)
  const options = await askForPasskey(visitor, fresh.member.password)
  t.equal(options.excludeCredentials.length, 0)
  const response = openAuthenticator(ORIGIN).create(options)
  const twice = [visitor.copy(), visitor.copy()]
  const answers = await Promise.all(twice.map((copy) => copy.visit('/account/passkeys', { response })))
  const [first, second] = answers.map(({ text }) => codesOn(text))
  t.equal(first!.length, 10)
  t.strictSame(second, first)
  const same = openAuthenticator(ORIGIN)
  for (let held = 1; held < 10; held += 1) {
    const { codes } = await addPasskey(visitor, fresh.member.password, held === 1 ? { authenticator: same } : {})
    t.equal(codes.length, 0, 'the codes that were shown stay')
    if (held > 1) continue
    const again = same.create(await askForPasskey(visitor, fresh.member.password))
    t.match((await visitor.visit('/account/passkeys', { response: again })).text, 'has been added already')
  }
  const more = await askForPasskey(visitor, fresh.member.password)
  t.equal(more.excludeCredentials.length, 10)
  const refused = await visitor.visit('/account/passkeys', { response: openAuthenticator(ORIGIN).create(more) })
  t.match(refused.text, 'You have 10 passkeys, the most allowed')
  t.match((await visitor.visit('/account')).text, 'You have 10 passkeys, the most allowed')
})

await t.test('new recovery codes need the password, replace all others, and are shown once', async (t) => {
  const fresh = await service.makeCompany('Codes')
  const visitor = await signInByPassword(service, fresh.member, fresh.id)
  const early = seenOn((await visitor.visit('/account/recovery-codes')).text)
  const before = await visitor.visit('/account/recovery-codes', { seen: early, current: fresh.member.password })
  t.match(before.text, 'Add a passkey first')
  const { codes } = await addPasskey(visitor, fresh.member.password)
  const seen = seenOn((await visitor.visit('/account/recovery-codes')).text)
  t.equal((await visitor.visit('/account/recovery-codes', { seen, current: 'wrong password' })).status, 422)
  const form = { seen, current: fresh.member.password }
  const next = codesOn((await visitor.visit('/account/recovery-codes', form)).text)
  t.equal(new Set([...codes, ...next]).size, 20)
  const again = await visitor.visit('/account/recovery-codes', form)
  t.strictSame(codesOn(again.text), next, 'a form that is sent twice acts once')
  t.equal((await visitor.visit('/account/recovery-codes', { ...form, seen: early })).status, 412)
  const { rows } = await service.pool.query('select 1 from recovery_codes where company_id = $1', [toUuid(fresh.id)])
  t.equal(rows.length, 10)
})

function handleOf(companyId: string, userId: string): string {
  return Buffer.from(`${toUuid(companyId)}${toUuid(userId)}`.replaceAll('-', ''), 'hex').toString('base64url')
}

for (const hours of [24, -24]) {
  await t.test(`a passkey works again after a process whose clock is ${hours} hours wrong has used it`, async (t) => {
    const { id, member: user } = await service.makeCompany(`With a wrong clock ${hours}`)
    const visitor = await signInByPassword(service, user, id)
    const { authenticator } = await addPasskey(visitor, user.password)
    const reset = shiftClock(hours * 3_600_000)
    t.teardown(reset)
    t.match(await tryPasskey(openVisitor(service), authenticator), { status: 303 })
    reset()
    t.match(await tryPasskey(openVisitor(service), authenticator), { status: 303 })
  })
}

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { LinkableUser, MatchingUsers, ReturningPerson } from '../../../src/domain/providers/decide-sign-in.ts'
import { decideLink, decideSignIn } from '../../../src/domain/providers/decide-sign-in.ts'

const ISSUER = 'https://idp.example'
const OTHER_ISSUER = 'https://former.example'
const ANA: ReturningPerson = {
  issuer: ISSUER,
  subject: 'ana-at-idp',
  email: 'ana@example.com',
  claimedEmail: 'Ana@example.com',
  isEmailVerified: true,
}
const NOBODY: MatchingUsers = { byAccount: null, byEmail: null, wasRemoved: false }
const ON = { use: 'optional', creates_users: false } as const
const user = (id: string, identity: LinkableUser['identity'] = null): LinkableUser => ({ id, identity })
const linkedAt = (issuer: string, subject: string) => user('usr_linked', { issuer, subject })

const WITHOUT_EMAIL = { ...ANA, email: null, claimedEmail: null, isEmailVerified: false }
const UNVERIFIED = { ...ANA, email: null, isEmailVerified: false }
const LOOK_ALIKE = { ...ANA, email: null, claimedEmail: '\uff41na@example.com' }

const TABLE: [what: string, ReturningPerson, Partial<MatchingUsers>, createsUsers: boolean, expected: string][] = [
  ['a linked account signs in', ANA, { byAccount: linkedAt(ISSUER, ANA.subject) }, false, 'sign_in usr_linked'],
  [
    'a linked account signs in without any email',
    WITHOUT_EMAIL,
    { byAccount: linkedAt(ISSUER, ANA.subject) },
    false,
    'sign_in usr_linked',
  ],
  [
    "the account decides, even if the email is another user's by now",
    ANA,
    { byAccount: linkedAt(ISSUER, ANA.subject), byEmail: user('usr_other') },
    true,
    'sign_in usr_linked',
  ],
  ['a verified email links once', ANA, { byEmail: user('usr_ana') }, false, 'link usr_ana'],
  [
    'a link to a former provider is replaced',
    ANA,
    { byEmail: user('usr_ana', { issuer: OTHER_ISSUER, subject: ANA.subject }) },
    false,
    'link usr_ana',
  ],
  [
    'a verified email does not take over a user who is linked to another account',
    ANA,
    { byEmail: linkedAt(ISSUER, 'somebody-else') },
    true,
    'linked_elsewhere',
  ],
  ['an unverified email links nobody', UNVERIFIED, {}, false, 'email_unverified'],
  ['an unverified email creates nobody', UNVERIFIED, {}, true, 'email_unverified'],
  ['a verified email in another form links and creates nobody', LOOK_ALIKE, {}, true, 'email_inexact'],
  ['no email at all creates nobody', WITHOUT_EMAIL, {}, true, 'email_missing'],
  ['a stranger is refused', ANA, {}, false, 'not_a_user'],
  ['a stranger becomes a user if the company wants that', ANA, {}, true, 'create ana@example.com'],
  ['whoever was removed is not created again', ANA, { wasRemoved: true }, true, 'user_removed'],
  ['whoever was removed is told so without an email', WITHOUT_EMAIL, { wasRemoved: true }, true, 'user_removed'],
  [
    'whoever was removed and invited again is linked again',
    ANA,
    { wasRemoved: true, byEmail: user('usr_new') },
    false,
    'link usr_new',
  ],
]

const told = (decision: ReturnType<typeof decideSignIn>) => {
  switch (decision.outcome) {
    case 'refuse':
      return decision.refusal
    case 'create':
      return `create ${decision.email}`
    case 'link':
    case 'sign_in':
      return `${decision.outcome} ${decision.userId}`
  }
}

for (const [what, person, matching, createsUsers, expected] of TABLE) {
  await t.test(what, async (t) => {
    for (const use of ['optional', 'required'] as const) {
      const decision = decideSignIn(person, { ...NOBODY, ...matching }, { use, creates_users: createsUsers })
      t.equal(told(decision), expected)
    }
    const off = decideSignIn(person, { ...NOBODY, ...matching }, { use: 'off', creates_users: createsUsers })
    t.equal(told(off), 'provider_off')
  })
}

await t.test('whatever comes back, only a verified email links or creates', async () => {
  const anyUser = fc.option(
    fc.record({
      id: fc.constantFrom('usr_1', 'usr_2'),
      identity: fc.option(
        fc.record({ issuer: fc.constantFrom(ISSUER, OTHER_ISSUER), subject: fc.constantFrom('a', 'b') }),
      ),
    }),
  )
  const anyMatch = fc.record({ byAccount: anyUser, byEmail: anyUser, wasRemoved: fc.boolean() })
  const anyPerson = fc.record({
    issuer: fc.constant(ISSUER),
    subject: fc.constantFrom('a', 'b'),
    email: fc.option(fc.constant('ana@example.com')),
    claimedEmail: fc.option(fc.constant('ana@example.com')),
    isEmailVerified: fc.boolean(),
  })
  fc.assert(
    fc.property(anyPerson, anyMatch, fc.boolean(), (person, matching, createsUsers) => {
      const decision = decideSignIn(person, matching, { use: 'required', creates_users: createsUsers })
      if (decision.outcome === 'link' || decision.outcome === 'create') assert.notEqual(person.email, null)
      if (decision.outcome === 'link') assert.notEqual(matching.byEmail?.identity?.issuer, ISSUER)
      if (decision.outcome === 'create') assert.ok(createsUsers && !matching.wasRemoved && !matching.byEmail)
      if (decision.outcome === 'sign_in') assert.equal(decision.userId, matching.byAccount?.id)
    }),
  )
})

await t.test('a user links their own account, and takes over no other', async (t) => {
  const own = user('usr_own')
  const link = (person: ReturningPerson, who: LinkableUser, byAccount: LinkableUser | null) =>
    told(decideLink(person, who, { byAccount, use: ON.use, isProven: true }))
  t.equal(link(UNVERIFIED, own, null), 'link usr_own', 'no email is needed')
  t.equal(link(ANA, own, linkedAt(ISSUER, ANA.subject)), 'account_taken')
  t.equal(link(ANA, linkedAt(ISSUER, ANA.subject), linkedAt(ISSUER, ANA.subject)), 'sign_in usr_linked')
  t.equal(link(ANA, linkedAt(ISSUER, 'another'), null), 'linked_elsewhere', 'unlink first')
  t.equal(link(ANA, linkedAt(OTHER_ISSUER, 'another'), null), 'link usr_linked')
  t.equal(told(decideLink(ANA, own, { byAccount: null, use: 'off', isProven: true })), 'provider_off')
  const byLink = (byAccount: LinkableUser | null) => told(decideLink(ANA, own, { ...ON, byAccount, isProven: false }))
  t.equal(byLink(null), 'link_invalid', 'a one-time link works once')
  t.equal(byLink({ ...own, identity: ANA }), 'sign_in usr_own', 'after it has worked, the account is enough')
})

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { ROLES } from '../../../src/domain/accounts/roles.ts'
import type { UserChange, UserEvent, UserLife } from '../../../src/domain/accounts/user-lifecycle.ts'
import { addDays, decideUserChange, evolveUser, decideInvitation } from '../../../src/domain/accounts/user-lifecycle.ts'

const UNBORN: UserLife = {
  id: 'usr_01h455vb4pex5vsknk084sn02q',
  version: 0,
  email: '',
  name: '',
  role: 'member',
  hasPassword: false,
  isRemoved: false,
  identity: null,
}

const FACTS = { hasOtherAdmin: true, isBreakGlass: false }
const ACCOUNT = { issuer: 'https://idp.example', subject: '248289761001' }

const born = (role: UserLife['role'] = 'member') =>
  evolveUser(UNBORN, decideInvitation({ id: UNBORN.id, email: 'a@example.com', name: 'A', role }))
const eventsOf = (user: UserLife, change: UserChange, hasOther = true): UserEvent[] =>
  decideUserChange(user, change, { hasOtherAdmin: hasOther, isBreakGlass: false }).events ?? []
const after = (user: UserLife, ...changes: UserChange[]) =>
  changes.reduce((user, change) => eventsOf(user, change).reduce(evolveUser, user), user)

const anyChange: fc.Arbitrary<UserChange> = fc.oneof(
  fc.record({ change: fc.constant('role' as const), role: fc.constantFrom(...ROLES) }),
  fc.constantFrom<UserChange>(
    { change: 'reset', linkExpiresAt: '2026-11-27T12:00:00.000Z' },
    { change: 'set_password' },
    { change: 'remove' },
    { change: 'issue_token', tokenId: 'tok_1', name: 'CI', expiresAt: '2026-11-27T12:00:00.000Z', scopes: null },
    { change: 'revoke_token', tokenId: 'tok_1' },
    { change: 'link', identity: ACCOUNT },
    { change: 'link', identity: { ...ACCOUNT, issuer: 'https://other.example' } },
    { change: 'unlink' },
    { change: 'add_passkey', passkeyId: 'psk_1', name: 'Laptop', held: 9 },
    { change: 'add_passkey', passkeyId: 'psk_1', name: 'Laptop', held: 10 },
    { change: 'remove_passkey', passkeyId: 'psk_1', isLastWayIn: false },
    { change: 'remove_passkey', passkeyId: 'psk_1', isLastWayIn: true },
    { change: 'issue_recovery_codes' },
    { change: 'use_recovery_code', remaining: 9 },
  ),
)

await t.test('after any history the versions of the stream are 1, 2, 3 …', async () => {
  fc.assert(
    fc.property(fc.array(anyChange), (changes) => {
      let user = born()
      for (const change of changes) {
        for (const event of eventsOf(user, change)) {
          assert.equal(event.version, user.version + 1)
          user = evolveUser(user, event)
        }
      }
    }),
  )
})

await t.test('a password is set, voided by a reset or the removal, and otherwise untouched', async () => {
  fc.assert(
    fc.property(fc.array(anyChange), (changes) => {
      const user = after(born(), ...changes)
      const isRemoved = changes.some(({ change }) => change === 'remove')
      const last = changes.findLast(({ change }) => change === 'set_password' || change === 'reset')
      assert.equal(user.isRemoved, isRemoved)
      assert.equal(user.hasPassword, !isRemoved && last?.change === 'set_password')
    }),
  )
})

await t.test('nothing changes a removed user', async (t) => {
  fc.assert(
    fc.property(fc.array(anyChange), fc.array(anyChange), (before, later) => {
      const removed = after(born(), ...before, { change: 'remove' })
      assert.deepEqual(after(removed, ...later), removed)
    }),
  )
  const removed = after(born(), { change: 'remove' })
  t.equal(decideUserChange(removed, { change: 'set_password' }, FACTS).problem?.code, 'user_removed')
})

await t.test('only a removed user is erased, and erasing again when nothing is left does nothing', async (t) => {
  t.equal(decideUserChange(born(), { change: 'erase', positions: [7] }, FACTS).problem?.code, 'user_not_removed')
  const removed = after(born(), { change: 'remove' })
  const { events } = decideUserChange(removed, { change: 'erase', positions: [7, 9] }, FACTS)
  const place = { type: 'UserErased', stream: removed.id, version: removed.version + 1, index: null }
  t.strictSame(events, [{ ...place, data: { positions: [7, 9] } }])
  t.match(events!.reduce(evolveUser, removed), { email: '', name: '', isRemoved: true, version: removed.version + 1 })
  t.strictSame(decideUserChange(removed, { change: 'erase', positions: [] }, FACTS).events, [])
})

await t.test('neither a removal nor a new role takes away the last administrator', async (t) => {
  const code = (role: UserLife['role'], change: UserChange, hasOther: boolean) =>
    decideUserChange(born(role), change, { ...FACTS, hasOtherAdmin: hasOther }).problem?.code
  const losses = [
    { change: 'remove' },
    { change: 'role', role: 'member' },
    { change: 'role', role: 'auditor' },
  ] as const
  for (const change of losses) {
    t.equal(code('admin', change, false), 'last_admin')
    t.equal(code('admin', change, true), undefined)
    t.equal(code('member', change, false), undefined)
  }
  t.equal(code('admin', { change: 'role', role: 'admin' }, false), undefined)
  t.equal(code('admin', { change: 'set_password' }, false), undefined)
})

await t.test('an administrator with nothing but a linked account stays linked while there is no other', async (t) => {
  const linked = after(born('admin'), { change: 'link', identity: ACCOUNT })
  t.match(linked.identity, ACCOUNT)
  const alone = { ...FACTS, hasOtherAdmin: false }
  t.equal(decideUserChange(linked, { change: 'unlink' }, alone).problem?.code, 'last_admin')
  t.equal(decideUserChange(linked, { change: 'unlink' }, FACTS).problem, undefined)
  const withPassword = after(linked, { change: 'set_password' })
  t.equal(decideUserChange(withPassword, { change: 'unlink' }, alone).problem, undefined)
  t.equal(after(withPassword, { change: 'unlink' }).identity, null)
  t.strictSame(
    eventsOf(linked, { change: 'link', identity: { ...ACCOUNT } }),
    [],
    'the same account again is no change',
  )
})

await t.test('whoever keeps access in emergencies is neither removed, nor demoted, nor reset', async (t) => {
  const code = (change: UserChange) =>
    decideUserChange(born('admin'), change, { hasOtherAdmin: true, isBreakGlass: true }).problem?.code
  t.equal(code({ change: 'remove' }), 'break_glass_user')
  t.equal(code({ change: 'role', role: 'auditor' }), 'break_glass_user')
  t.equal(code({ change: 'reset', linkExpiresAt: '2026-11-27T12:00:00.000Z' }), 'break_glass_user')
  t.equal(code({ change: 'role', role: 'admin' }), undefined)
  t.equal(code({ change: 'set_password' }), undefined)
  t.equal(code({ change: 'link', identity: ACCOUNT }), undefined)
})

await t.test('days have 24 hours, also when the clocks change', async (t) => {
  t.equal(addDays('2026-03-28T12:00:00.000Z', 2), '2026-03-30T12:00:00.000Z')
  t.equal(addDays('2028-02-28T12:00:00.000Z', 1), '2028-02-29T12:00:00.000Z')
})

await t.test('a user has ten passkeys at most', async (t) => {
  const adding = { change: 'add_passkey', passkeyId: 'psk_1', name: 'Laptop' } as const
  t.strictSame(eventsOf(born(), { ...adding, held: 9 }), [
    { ...place(2), type: 'UserPasskeyAdded', data: { passkey_id: 'psk_1', name: 'Laptop' } },
  ])
  t.match(decideUserChange(born(), { ...adding, held: 10 }, FACTS).problem, { code: 'validation_failed' })
})

await t.test('everybody keeps the passkey without which they could not sign in', async (t) => {
  const removing = { change: 'remove_passkey', passkeyId: 'psk_1' } as const
  for (const role of ROLES) {
    const { problem } = decideUserChange(born(role), { ...removing, isLastWayIn: true }, FACTS)
    t.match(problem, { code: 'only_way_in' }, role)
    t.equal(eventsOf(born(role), { ...removing, isLastWayIn: false }, false).length, 1)
  }
})

function place(version: number) {
  return { stream: UNBORN.id, version, index: null }
}

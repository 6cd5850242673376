import t from 'tap'
import { ROLES } from '../../../src/domain/accounts/roles.ts'
import { decideRole, findRoleOfClaims } from '../../../src/domain/providers/decide-sign-in.ts'

const SETTINGS = {
  role_claim: 'groups',
  roles: [
    { value: 'hr-readers', role: 'auditor' },
    { value: 'hr-owners', role: 'admin' },
    { value: 'staff', role: 'member' },
    { value: 'hr-deputies', role: 'admin' },
  ],
} as const

await t.test('of several values, the role with the most rights counts; of none, member', async (t) => {
  const roleOf = (...values: string[]) => findRoleOfClaims(SETTINGS, values)
  t.equal(roleOf('staff', 'hr-owners', 'hr-readers'), 'admin')
  t.equal(roleOf('hr-deputies'), 'admin')
  t.equal(roleOf('staff', 'hr-readers'), 'auditor')
  t.equal(roleOf('staff'), 'member')
  t.equal(roleOf(), 'member')
  t.equal(roleOf('HR-OWNERS', 'hr-owners ', 'hr'), 'member', 'values are compared exactly')
})

await t.test('without a claim, roles are left alone', async (t) => {
  t.equal(findRoleOfClaims({ ...SETTINGS, role_claim: null }, ['hr-owners']), null)
  for (const role of ROLES) t.equal(decideRole(role, null, { hasOtherAdmin: true, isBreakGlass: false }), role)
})

await t.test('claims change every role but those of the last administrator and the one for emergencies', async (t) => {
  const usual = { hasOtherAdmin: true, isBreakGlass: false }
  for (const current of ROLES) for (const claimed of ROLES) t.equal(decideRole(current, claimed, usual), claimed)
  for (const facts of [
    { ...usual, hasOtherAdmin: false },
    { ...usual, isBreakGlass: true },
  ]) {
    for (const claimed of ROLES) t.equal(decideRole('admin', claimed, facts), 'admin')
    t.equal(decideRole('member', 'admin', facts), 'admin')
  }
})

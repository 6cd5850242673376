import t from 'tap'
import { findProviderAddresses } from '../../../src/domain/providers/provider-addresses.ts'
import type { GivenSettings } from '../../../src/domain/providers/read-provider-settings.ts'
import { findSecretError, readProviderSettings } from '../../../src/domain/providers/read-provider-settings.ts'

const GIVEN: GivenSettings = {
  name: 'Okta',
  issuer: 'https://acme.okta.com',
  client_id: '0oa1',
  client_auth: 'client_secret',
  creates_users: true,
  role_claim: 'groups',
  roles: [{ value: 'ledger-admins', role: 'admin' }],
}
const read = (given: Partial<GivenSettings>, allowsHttp = false) =>
  readProviderSettings({ ...GIVEN, ...given }, { allowsHttp })
const faultsOf = (given: Partial<GivenSettings>, allowsHttp = false) =>
  read(given, allowsHttp).errors?.map(({ pointer, message }) => `${pointer}: ${message}`) ?? []

await t.test('settings are stored without white space around them, and an empty claim is none', async (t) => {
  const given = { name: ' Okta ', issuer: ' https://acme.okta.com\n', client_id: '0oa1\t' }
  t.strictSame(read({ ...given, roles: [{ value: ' ledger-admins ', role: ' admin' }] }).settings, GIVEN)
  t.match(read({ role_claim: ' ', roles: [] }), { settings: { role_claim: null } })
})

await t.test('the issuer stays as it was written: a slash at its end is part of it', async (t) => {
  for (const issuer of ['https://acme.auth0.com/', 'https://acme.auth0.com', 'https://idp.example.com:8443/realms/a'])
    t.match(read({ issuer }), { settings: { issuer } })
})

await t.test('an issuer that cannot be one is refused with the reason', async (t) => {
  const faults: [string, string][] = [
    ['', 'is required'],
    ['acme.okta.com', 'must be a URL, such as https://idp.example.com'],
    ['https://acme okta.com', 'must be a URL, such as https://idp.example.com'],
    ['http://acme.okta.com', 'must start with https://'],
    ['ftp://acme.okta.com', 'must start with https://'],
    ['https://user:pass@acme.okta.com', 'must not contain a user name or password'],
    ['https://acme.okta.com?x', 'must not contain a query (?) or a fragment (#)'],
    ['https://acme.okta.com/#', 'must not contain a query (?) or a fragment (#)'],
    [
      'https://acme.okta.com/.well-known/openid-configuration',
      'must be given without /.well-known/openid-configuration',
    ],
    [`https://acme.okta.com/${'a'.repeat(1_024)}`, 'must have at most 1024 characters'],
    ['https://acme.okta.com/\u0000', 'contains a character that is not allowed'],
  ]
  for (const [issuer, words] of faults) t.strictSame(faultsOf({ issuer }), [`/issuer: issuer ${words}`])
  t.strictSame(faultsOf({ issuer: 'http://127.0.0.1:8080' }, true), [], 'http for development')
})

await t.test('every fault is named with its field', async (t) => {
  const wrong = { name: ' ', issuer: 'x', client_id: 'a'.repeat(256), client_auth: 'none', role_claim: '\ud800' }
  t.strictSame(faultsOf({ ...wrong, roles: [] }), [
    '/name: name is required',
    '/issuer: issuer must be a URL, such as https://idp.example.com',
    '/client_id: client_id must have at most 255 characters',
    '/client_auth: client_auth must be one of client_secret, private_key_jwt',
    '/role_claim: role_claim contains a character that is not allowed',
    '/roles: roles must have at least one value, as there is a claim',
  ])
})

await t.test('roles are of a claim, at most 50, each value once, and every one is checked', async (t) => {
  const role = 'auditor'
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `group ${at}`, role }))
  t.strictSame(faultsOf({ roles: many(50) }), [])
  t.strictSame(faultsOf({ roles: many(51) }), ['/roles: roles must have at most 50 values'])
  t.strictSame(faultsOf({ role_claim: null }), ['/role_claim: role_claim is required, as values of it have roles'])
  const roles = [
    { value: 'a', role },
    { value: 'a ', role },
    { value: 'b', role: 'boss' },
    { value: ' ', role },
    { value: 'c'.repeat(256), role },
  ]
  t.strictSame(faultsOf({ roles }), [
    '/roles/1: roles/1 repeats a value',
    '/roles/2: roles/2 must have one of the roles admin, auditor, member',
    '/roles/3: roles/3 is required',
    '/roles/4: roles/4 must have at most 255 characters',
  ])
})

await t.test('a client secret is a text of one line', async (t) => {
  t.equal(findSecretError('p4ss wörd'), null)
  for (const secret of ['', 'a\nb', 'a'.repeat(1_025)]) {
    const fault = findSecretError(secret)
    t.match(fault, { pointer: '/secret' })
    t.notOk(secret !== '' && fault!.message.includes(secret), 'the message contains no part of it')
  }
})

await t.test('a company has addresses if browsers reach the service by https, or on their own machine', async (t) => {
  t.strictSame(findProviderAddresses('https://ledger.example.com', 'com_1'), {
    signIn: 'https://ledger.example.com/sign-in/com_1',
    redirect: 'https://ledger.example.com/sign-in/com_1/callback',
    backchannelLogout: 'https://ledger.example.com/sign-in/com_1/backchannel-logout',
    postLogout: 'https://ledger.example.com/sign-in',
    jwks: 'https://ledger.example.com/sign-in/com_1/jwks',
  })
  for (const url of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])
    t.match(findProviderAddresses(url, 'com_1'), { signIn: `${url}/sign-in/com_1` })
  for (const url of [null, 'http://ledger.example.com', 'http://localhost.example.com'])
    t.equal(findProviderAddresses(url, 'com_1'), null)
})

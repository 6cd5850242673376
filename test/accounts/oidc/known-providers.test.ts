import type { ServerMetadata } from 'openid-client'
import t from 'tap'
import type { StoredProvider } from '../../../src/accounts/providers/providers.ts'
import { createKnownProviders } from '../../../src/accounts/oidc/known-providers.ts'
import { ProviderError } from '../../../src/accounts/oidc/provider-client.ts'
import { storedProvider } from '../../support/providers/stored-provider.ts'

/* What providers publish stays in memory, within bounds. */

const MIB = 1024 * 1024

const keysOf = (bytes: number) => ({ bytes, algorithms: [], find: () => Promise.reject(new Error('no key')) })

/** Providers whose keys take so many bytes, and others when they are fetched again. */
function openKnown(bytes: number, later = bytes) {
  const discovered: string[] = []
  const known = createKnownProviders(async ({ companyId, settings }: StoredProvider) => {
    discovered.push(companyId)
    const metadata: ServerMetadata = { issuer: settings.issuer }
    return { metadata, keys: keysOf(bytes), fetchKeys: async () => keysOf(later) }
  })
  return { known, discovered }
}

const companies = ['com_a', 'com_b', 'com_c', 'com_d'].map((companyId) =>
  storedProvider({ issuer: 'https://idp.example' }, { companyId }),
)

await t.test('the provider that was not used for longest makes room', async (t) => {
  const { known, discovered } = openKnown(5 * MIB)
  for (const provider of [...companies, companies[1]!, companies[0]!]) await known.find(provider)
  t.strictSame(discovered, ['com_a', 'com_b', 'com_c', 'com_d', 'com_a'])
})

await t.test('keys that grow count in full', async (t) => {
  const { known, discovered } = openKnown(1 * MIB, 14 * MIB)
  for (const provider of companies) await known.find(provider)
  await known.findAgain(companies[3]!, 'sign-in')
  for (const provider of companies.toReversed()) await known.find(provider)
  t.strictSame(discovered, ['com_a', 'com_b', 'com_c', 'com_d', 'com_b', 'com_a'])
})

await t.test('a company has one provider in memory, that of the settings it uses', async (t) => {
  const { known, discovered } = openKnown(1 * MIB)
  const [first] = companies as [StoredProvider]
  for (const version of [1, 2, 2, 1]) await known.find({ ...first, version })
  t.equal(discovered.length, 3)
})

await t.test('a provider that takes the place of another is read again, although both have version 1', async (t) => {
  const issuers: string[] = []
  const known = createKnownProviders(async ({ settings }) => {
    issuers.push(settings.issuer)
    return { metadata: { issuer: settings.issuer }, keys: keysOf(1), fetchKeys: async () => keysOf(1) }
  })
  const former = storedProvider({ issuer: 'https://former.example' }, { companyId: 'com_a' })
  const successor = storedProvider({ issuer: 'https://successor.example' }, { companyId: 'com_a' })
  const [, underWay] = await Promise.all([known.find(former), known.find(successor)])
  t.equal(underWay.metadata.issuer, 'https://successor.example')
  t.equal((await known.find(former)).metadata.issuer, 'https://former.example')
  t.equal((await known.find(successor)).metadata.issuer, 'https://successor.example')
})

await t.test('a failure counts for a few seconds, and for these settings alone', async (t) => {
  let [time, asked] = [0, 0]
  const known = createKnownProviders(
    async () => {
      asked += 1
      throw new ProviderError('unreachable', `Failure ${asked}`)
    },
    () => time,
  )
  const [provider] = companies as [StoredProvider]
  for (let at = 0; at < 3; at += 1) await t.rejects(known.find(provider), { message: 'Failure 1' })
  await t.rejects(known.find({ ...provider, version: 2 }), { message: 'Failure 2' })
  await t.rejects(known.find({ ...provider, version: 2 }), { message: 'Failure 2' })
  time += 5_000
  await t.rejects(known.find({ ...provider, version: 2 }), { message: 'Failure 3' })
})

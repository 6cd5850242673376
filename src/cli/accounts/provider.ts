import { createReadStream } from 'node:fs'
import {
  readProvider,
  type StoredProvider,
  type ChangedProvider,
  type NewSecret,
  addProvider,
  changeProvider,
  NO_PROVIDER,
  rotateProviderSecret,
} from '#accounts/providers/providers'
import { RefusedByStateError } from '#accounts/change-company'
import { createConfiguredSecretBox } from '#bootstrap/keys'
import type { Config } from '../../config.ts'
import { problem } from '#domain/errors'
import type { ClientAuth, ProviderSettings, ProviderUse } from '#domain/provider-settings'
import { findProviderAddresses } from '#domain/providers/provider-addresses'
import { MAX_SECRET, readProviderSettings } from '#domain/providers/read-provider-settings'
import { openProviderClient } from '#accounts/oidc/open-provider-client'
import { ProviderError } from '#accounts/oidc/provider-client'
import { StartupError } from '#postgres/startup-error'
import { UnreadableSecretError } from '#accounts/secrets/secret-box'
import { UsageError } from '../terminal/fail-with.ts'
import { say } from '../terminal/print.ts'
import { withStore, type Opened } from '../terminal/with-store.ts'
import { asOperator, changeAsOperator, type CompanyOptions, openServices } from './operator.ts'
import { trimBlanks } from '#text/normalize-text'

interface SecretOptions {
  clientAuth?: ClientAuth
  secretFile?: string
}

interface SetOptions extends CompanyOptions, SecretOptions {
  name?: string
  issuer?: string
  clientId?: string
  createsUsers?: 'yes' | 'no'
  /** False: none. */
  roleClaim?: string | false
  role?: ProviderSettings['roles']
}

/** `provider set`: sets the provider up, or changes the settings that are given. */
export async function setProvider({ company, ...given }: SetOptions) {
  const { clientAuth, secretFile } = given
  const { changed, config } = await withStore(async (opened) => {
    requireAddresses(opened.config, company)
    const [services, acting] = [await openServices(opened), asOperator(company)]
    const current = await readProvider(services.pool, company)
    if (current && (clientAuth ?? secretFile) !== undefined)
      throw new StartupError('the company has a provider; use `provider replace-secret` for another secret')
    const settings = readSettings(given, current?.settings ?? null, opened.config)
    const changed = current
      ? await changeProvider(services, acting, { change: 'edit', settings }, current.version)
      : await addProvider(services, acting, settings, await readNewSecret(settings.client_auth, secretFile))
    return { changed, config: opened.config }
  })
  return describeProvider(changed.provider, config)
}

/** `provider show`. */
export async function showProvider({ company }: CompanyOptions) {
  return withStore(async (opened) => describeProvider(await requireProvider(opened, company), opened.config))
}

/** `provider check`: shows what the provider publishes. */
export async function checkProvider({ company }: CompanyOptions) {
  const shown = await withStore(async (opened) => {
    const provider = await requireProvider(opened, company)
    const allowPrivate = opened.config.OUTGOING_PRIVATE === 1
    const client = openProviderClient({ allowPrivate, secrets: await createConfiguredSecretBox(opened.config) })
    try {
      return { issuer: provider.settings.issuer, found: await client.check(provider) }
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof UnreadableSecretError)) throw error
      throw new StartupError(error.message, { cause: error })
    } finally {
      client.close()
    }
  })
  return say(shown, shown.found.map((line) => `${line}\n`).join(''))
}

/** `provider use`: switches the provider on or off. */
export async function useProvider(
  use: ProviderUse['use'],
  { company, breakGlass = null }: CompanyOptions & { breakGlass?: string | null },
) {
  if ((use === 'required') !== (breakGlass !== null))
    throw new UsageError('`provider use required` needs --break-glass; no other use accepts it')
  return changeProviderBy(async (opened) => {
    if (use !== 'off') requireAddresses(opened.config, company)
    const change = { change: 'use', use: { use, break_glass: breakGlass } } as const
    return changeProvider(await openServices(opened), asOperator(company), change)
  })
}

/** `provider replace-secret`: replaces the client secret, or makes a new key pair. */
export async function replaceSecret({ company, clientAuth, secretFile }: CompanyOptions & SecretOptions) {
  return changeProviderBy(async (opened) => {
    const { settings, version } = await requireProvider(opened, company)
    const secret = await readNewSecret(clientAuth ?? settings.client_auth, secretFile)
    return rotateProviderSecret(await openServices(opened), asOperator(company), secret, version)
  })
}

/** `provider remove`. */
export async function removeProvider({ company }: CompanyOptions) {
  const removed = await changeAsOperator(company, changeProvider, { change: 'remove' })
  return { provider_id: removed.provider.id, use: 'removed' }
}

function changeProviderBy(change: (opened: Opened) => Promise<ChangedProvider>) {
  return withStore(async (opened) => describeProvider((await change(opened)).provider, opened.config))
}

/** The settings as given, and otherwise as they are. Throws an error that names everything that is wrong. */
function readSettings(given: Omit<SetOptions, 'company'>, current: ProviderSettings | null, config: Config) {
  const newSettings = {
    name: given.name ?? current?.name ?? '',
    issuer: given.issuer ?? current?.issuer ?? '',
    client_id: given.clientId ?? current?.client_id ?? '',
    client_auth: current?.client_auth ?? given.clientAuth ?? 'client_secret',
    creates_users: given.createsUsers === undefined ? (current?.creates_users ?? false) : given.createsUsers === 'yes',
    role_claim: given.roleClaim === false ? null : (given.roleClaim ?? current?.role_claim ?? null),
    roles: given.role ?? (given.roleClaim === false ? [] : (current?.roles ?? [])),
  }
  const { settings, errors } = readProviderSettings(newSettings, { allowsHttp: config.OUTGOING_PRIVATE === 1 })
  if (settings) return settings
  throw new RefusedByStateError(problem('validation_failed', errors.map(({ message }) => message).join('; ')))
}

async function readNewSecret(clientAuth: ClientAuth, file: string | undefined): Promise<NewSecret> {
  if (clientAuth === 'private_key_jwt') {
    if (file !== undefined) throw new UsageError('private_key_jwt takes no --secret-file: its key pair is made here')
    return { clientAuth }
  }
  if (file === undefined) throw new UsageError('client_secret needs --secret-file: - reads standard input')
  return { clientAuth, secret: trimBlanks(await readSecretFile(file)) }
}

/** More bytes than a secret of the largest length can have are refused as too long. */
const MAX_BYTES = 8 * MAX_SECRET

async function readSecretFile(file: string) {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > MAX_BYTES) break
    }
  } catch (error) {
    throw new StartupError(`the file of the secret cannot be read: ${(error as Error).message}`, { cause: error })
  }
  return Buffer.concat(chunks).toString('utf8')
}

function requireAddresses({ PUBLIC_URL }: Config, companyId: string) {
  if (findProviderAddresses(PUBLIC_URL ?? null, companyId)) return
  throw new StartupError('PUBLIC_URL must be set to the https address at which browsers reach the service')
}

async function requireProvider({ store: { pool } }: Opened, companyId: string): Promise<StoredProvider> {
  const provider = await readProvider(pool, companyId)
  if (!provider) throw new RefusedByStateError(NO_PROVIDER)
  return provider
}

function describeProvider({ id, companyId, settings, use, createdAt }: StoredProvider, { PUBLIC_URL }: Config) {
  const addresses = findProviderAddresses(PUBLIC_URL ?? null, companyId)
  return {
    provider_id: id,
    ...settings,
    roles: settings.roles.map(({ value, role }) => `${value}=${role}`),
    ...use,
    created_at: createdAt,
    sign_in_link: addresses?.signIn ?? null,
    redirect_uri: addresses?.redirect ?? null,
    backchannel_logout_uri: addresses?.backchannelLogout ?? null,
    post_logout_redirect_uri: addresses?.postLogout ?? null,
    jwks_uri: settings.client_auth === 'private_key_jwt' ? (addresses?.jwks ?? null) : null,
  }
}

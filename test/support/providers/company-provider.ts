import type { Pool } from 'pg'
import { addProvider } from '../../../src/accounts/providers/providers.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { createConfiguredSecretBox } from '../../../src/bootstrap/keys.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import type { ProviderSettings, ProviderUse } from '../../../src/domain/provider-settings.ts'
import { openVisitor, type Visitor } from '../http/visitor.ts'
import type { Service, TestCompany } from '../service.ts'
import { followSignIn } from './follow-sign-in.ts'
import type { TestProvider } from './test-provider.ts'

const PUBLIC_URL = 'http://localhost:3999'
/** The settings of a service whose companies may have providers on this machine. */
export const WITH_PROVIDERS = { PUBLIC_URL, OUTGOING_PRIVATE: '1', SIGN_IN_LIMIT: '0', SIGN_IN_ADDRESS_LIMIT: '0' }

/** What a browser sends when another site has led it here. */
export const FROM_ELSEWHERE = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

const SECRET = 'the secret of the client'

/** What is special about a company's provider. */
export interface Wanted extends Partial<ProviderSettings> {
  use?: ProviderUse['use']
  /** Where browsers reach the service. */
  publicUrl?: string
  /** Where the provider sends logout tokens. Default: to the service. */
  backchannelLogoutUri?: string
}

/** Gives a company a provider, whose client is registered. Returns its id. If required, the first administrator may use a password. */
export async function giveProvider(
  service: Service,
  company: TestCompany,
  idp: TestProvider,
  { use = 'optional', publicUrl = PUBLIC_URL, backchannelLogoutUri, ...settings }: Wanted = {},
): Promise<string> {
  const page = `${publicUrl}/sign-in/${company.id}`
  idp.addClient({
    clientId: company.id,
    secret: SECRET,
    redirectUris: [`${page}/callback`],
    postLogoutRedirectUris: [`${publicUrl}/sign-in`],
    backchannelLogoutUri: backchannelLogoutUri ?? `${service.address}/sign-in/${company.id}/backchannel-logout`,
  })
  const { provider } = await addProvider(
    { pool: service.pool, newId, secrets: await createConfiguredSecretBox(service.config) },
    { companyId: company.id, actor: company.admin.user_id },
    {
      name: 'Test IdP',
      issuer: idp.issuer,
      client_id: company.id,
      creates_users: false,
      role_claim: null,
      roles: [],
      ...settings,
    },
    { clientAuth: 'client_secret', secret: SECRET },
  )
  await turn(service, company, use)
  return provider.id
}

export const UNREACHABLE_ISSUER = 'https://idp.example'

/** Gives a company a provider that cannot be reached. With an administrator who may use a password, it is required. */
export async function giveUnreachableProvider(pool: Pool, companyId: string, breakGlass?: string): Promise<void> {
  await pool.query(
    `insert into identity_providers (company_id, provider_id, version, name, issuer, client_id, client_auth,
       creates_users, roles, use, break_glass, secret, created_at)
     values ($1, gen_random_uuid(), 1, 'IdP', $2, 'x', 'client_secret', false, '[]',
       case when $3::uuid is null then 'optional' else 'required' end, $3, '\\x00', now())`,
    [toUuid(companyId), UNREACHABLE_ISSUER, breakGlass === undefined ? null : toUuid(breakGlass)],
  )
}

/** Makes a company that has a provider. */
export async function makeCompanyWithProvider(service: Service, idp: TestProvider, settings?: Wanted) {
  const company = await service.makeCompany('With a provider')
  return { company, providerId: await giveProvider(service, company, idp, settings) }
}

/** Changes the use of a company's provider, as the command line could, without asking who could still sign in. */
export async function turn(service: Service, { id, admin }: TestCompany, use: ProviderUse['use']): Promise<void> {
  await service.pool.query('update identity_providers set use = $2, break_glass = $3 where company_id = $1', [
    ...[toUuid(id), use, use === 'required' ? toUuid(admin.user_id) : null],
  ])
}

/** Links a user to an account at a provider, as a sign-in there does. The subject is the user's id, unless given. */
export async function linkUser({ pool }: Service, userId: string, issuer: string, subject = userId): Promise<void> {
  const account = [toUuid(userId), issuer, subject]
  await pool.query('update users set issuer = $2, subject = $3 where user_id = $1', account)
}

/** Goes to the provider and signs in there. Returns the path that the provider leads back to. */
export async function goToProvider(
  visitor: Visitor,
  company: Pick<TestCompany, 'id'>,
  { query = '', jar }: { query?: string; jar?: Map<string, string> } = {},
): Promise<string> {
  const { location, status, text } = await visitor.visit(`/sign-in/${company.id}/start${query}`)
  if (location === null) throw new Error(`leaving for the provider was answered with ${status}: ${text}`)
  const back = new URL(await followSignIn(location, jar))
  return back.pathname + back.search
}

/** Comes back from the provider. */
export function comeBack(visitor: Visitor, path: string) {
  return visitor.visit(path, undefined, { headers: FROM_ELSEWHERE })
}

/** Signs in through the provider with a new browser. */
export async function enter(service: Service, company: Pick<TestCompany, 'id'>, query?: string) {
  const visitor = openVisitor(service)
  const answer = await comeBack(visitor, await goToProvider(visitor, company, query === undefined ? {} : { query }))
  return { visitor, answer }
}

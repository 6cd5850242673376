import type { Role } from '../../domain/accounts/roles.ts'
import { decideSignIn, type SignInRefusal } from '../../domain/providers/decide-sign-in.ts'
import { decideRole, findRoleOfClaims } from '../../domain/providers/role-of-claims.ts'
import type { ProviderIdentity } from '../oidc/provider-client.ts'
import { withClient } from '../../postgres/pool.ts'
import type { StoredProvider } from '../providers/read-provider.ts'
import type { CompanyServices } from '../change-company.ts'
import { loadUserFacts } from '../users/user-rows.ts'
import { findUser } from '../users/users.ts'
import { onClient } from '../../postgres/kysely.ts'
import { loadMatchingUsers } from './matching-users.ts'

/** What signing in would do. `role` is the user's role afterwards. */
export type SignInPreview =
  | { outcome: 'linked' | 'matched'; user: { id: string; name: string; email: string; role: Role }; role: Role }
  | { outcome: 'created'; email: string; role: Role }
  | { outcome: 'refused'; refusal: SignInRefusal }

/** Says what signing in would do if the provider were in use. Changes nothing. */
export async function previewSignIn(
  { pool }: Pick<CompanyServices, 'pool'>,
  { companyId, settings }: StoredProvider,
  identity: ProviderIdentity,
): Promise<SignInPreview> {
  return withClient(pool, async (client) => {
    const matching = await loadMatchingUsers(client, companyId, identity)
    const decision = decideSignIn(identity, matching, { ...settings, use: 'optional' })
    const ofClaims = findRoleOfClaims(settings, identity.roleValues)
    if (decision.outcome === 'refuse') return { outcome: 'refused', refusal: decision.refusal }
    if (decision.outcome === 'create') return { outcome: 'created', email: decision.email, role: ofClaims ?? 'member' }
    const user = (await findUser(onClient(client), companyId, decision.userId))!
    const role = decideRole(user.role, ofClaims, await loadUserFacts(client, companyId, user.id))
    return { outcome: decision.outcome === 'link' ? 'matched' : 'linked', user, role }
  })
}

import type { FastifyReply } from 'fastify'
import type { ProviderFlow } from '#accounts/oidc/provider-client'
import { createSealedCookie, type SealedCookie } from '#http/access/sealed-cookie'
import type { PageServices } from '../parts/page-services.ts'
import type { Destination } from './destination.ts'

/** Why someone authenticates at the provider: to sign in; to link a user; or, as an administrator, to test. */
export type AuthorizationPurpose = { to: 'sign in' } | LinkPurpose | { to: 'test'; userId: string }

export interface LinkPurpose {
  to: 'link'
  userId: string
  /** The SHA-256 of the one-time link's token that proves the user, in base64url; null if the session does. */
  linkHash: string | null
}

/** What a browser keeps of a request to authenticate its user (OpenID Connect Core 1.0, section 3.1.2.1). */
export interface AuthorizationRequest extends Destination {
  companyId: string
  /** The email that was typed; the provider's form shows it. */
  email: string | null
  purpose: AuthorizationPurpose
  /** Null until the browser is redirected to the provider. */
  flow: ProviderFlow | null
}

const LIFE_SECONDS = 10 * 60
/** Together with what the flow adds, and encrypted, this fits into the 4,096 bytes that browsers keep (RFC 6265bis). */
const MAX_BYTES = 2_200

/** Creates the cookie that holds an authorization request. */
export function createAuthorizationRequests(services: PageServices): SealedCookie<AuthorizationRequest> {
  return createSealedCookie(services, 'sign-in', LIFE_SECONDS)
}

/** Stores an authorization request in the cookie. If it is too long, leaves out a kept form, then the page to go to. */
export function keepAuthorizationRequest(
  services: PageServices,
  reply: FastifyReply,
  authorizationRequest: AuthorizationRequest,
): void {
  const { flow, ...kept } = authorizationRequest
  const fits = (fields: object) => Buffer.byteLength(JSON.stringify(fields)) <= MAX_BYTES
  const shorter = [kept, { ...kept, kept: null }].find(fits) ?? { ...kept, kept: null, next: '' }
  createAuthorizationRequests(services).set(reply, { ...shorter, flow })
}

import type { FastifyReply } from 'fastify'
import type { ProviderFlow } from '../../../accounts/oidc/provider-client.ts'
import type { SecretBox } from '../../../secrets/secret-box.ts'
import { openSealedCookie, type SealedCookie } from '../../access/sealed-cookie.ts'
import type { SessionSettings } from '../../access/session.ts'
import type { Destination } from './destination.ts'

/** Why someone goes to the provider: to sign in; to link a user; or, as an administrator, to test. */
export type TripPurpose = { to: 'sign in' } | LinkPurpose | { to: 'test'; userId: string }

export interface LinkPurpose {
  to: 'link'
  userId: string
  /** The SHA-256 of the one-time link's token that proves the user, in base64url; null if the session does. */
  linkHash: string | null
}

/** What a browser keeps while its user is at the provider. */
export interface Trip extends Destination {
  companyId: string
  /** The email that was typed; the provider's form shows it. */
  email: string | null
  purpose: TripPurpose
  /** Null until the browser leaves for the provider. */
  flow: ProviderFlow | null
}

const LIFE_SECONDS = 10 * 60
/** Together with what the flow adds, and encrypted, this fits into the 4,096 bytes that browsers keep (RFC 6265bis). */
const MOST_BYTES = 2_200

/** Opens the cookie of trips. */
export function openTrips(secrets: SecretBox, settings: SessionSettings): SealedCookie<Trip> {
  return openSealedCookie({ name: 'sign-in', secrets, settings, lifeSeconds: LIFE_SECONDS })
}

/** Keeps a trip. What is too long for a cookie is left out: first a kept form, then the page to go to. */
export function keepTrip(trips: SealedCookie<Trip>, reply: FastifyReply, trip: Trip): void {
  const { flow, ...kept } = trip
  const fits = (fields: object) => Buffer.byteLength(JSON.stringify(fields)) <= MOST_BYTES
  const shorter = [kept, { ...kept, kept: null }].find(fits) ?? { ...kept, kept: null, next: '' }
  trips.set(reply, { ...shorter, flow })
}

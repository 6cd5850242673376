import type { Pool } from 'pg'
import type { CompanyServices } from '../change-company.ts'
import { type NewSession, beginSession } from '../users/sessions.ts'
import { loadKey, markUsed } from '../passkeys/passkeys.ts'
import type { FailedSignIns } from './record-sign-ins.ts'
import { type Assertion, checkAssertion, isAnswerTo, type RelyingParty } from '../passkeys/webauthn.ts'

interface PasskeyServices {
  company: Pick<CompanyServices, 'pool'>
  /** The connections for sessions. */
  pool: Pool
  failures: FailedSignIns
  session: NewSession
}

/** A challenge that a browser has got from us. */
export interface Challenge {
  /** Base64url. */
  challenge: string
  /** RFC 3339 UTC. */
  challengedAt: string
}

type PasskeySignIn =
  | { outcome: 'signed in'; cookie: string }
  | { outcome: 'refused' }
  /** Another challenge was answered, such as that of another tab, or this one is no newer than one that was used. */
  | { outcome: 'outdated' }
  /** The passkey is right, but the company requires its identity provider. */
  | { outcome: 'provider required' }
  /** Two authenticators use the same key: the passkey was copied. */
  | { outcome: 'copied'; passkeyId: string }

/** Nobody has this key: an unknown passkey costs as much to check as a known one. */
const NOBODYS_KEY = Buffer.from(
  'a50102032620012158206b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
    '2258204fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  'hex',
)

/**
 * Starts a session for the user of a passkey, if it has signed the challenge. Each challenge works once. An unknown passkey
 * is refused like a wrong signature.
 */
export async function signInWithPasskey(
  { company, pool, failures, session }: PasskeyServices,
  party: RelyingParty,
  { challenge, challengedAt }: Challenge,
  assertion: Assertion,
): Promise<PasskeySignIn> {
  const { owner, credentialId } = assertion
  if (!(await isAnswerTo(challenge, assertion))) return { outcome: 'outdated' }
  const stored = await loadKey(company.pool, owner, credentialId)
  const counter = await checkAssertion(party, challenge, assertion, stored?.publicKey ?? NOBODYS_KEY)
  if (stored === null) return { outcome: 'refused' }
  if (counter === null) {
    failures.count(owner, 'passkey', session)
    return { outcome: 'refused' }
  }
  if (!(await markUsed(company.pool, owner, { credentialId, counter, challengedAt }))) {
    const isOld = stored.lastUsed !== null && Date.parse(challengedAt) <= Date.parse(stored.lastUsed)
    const isBehind = counter <= stored.counter && stored.counter > 0
    if (!isBehind || isOld) return { outcome: 'outdated' }
    failures.count(owner, 'passkey', session)
    return { outcome: 'copied', passkeyId: stored.id }
  }
  if (stored.isProviderRequired) return { outcome: 'provider required' }
  const cookie = await beginSession(pool, owner, { method: 'passkey', credentialId }, session)
  return cookie === null ? { outcome: 'refused' } : { outcome: 'signed in', cookie }
}

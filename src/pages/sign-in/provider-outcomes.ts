import { databaseTime } from '#postgres/database-clock'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StoredProvider } from '#accounts/providers/providers'
import { ProviderError, type ProviderIdentity, type ProviderFault } from '#accounts/oidc/provider-client'
import { UnreadableSecretError } from '#accounts/secrets/secret-box'
import { idsOf } from '#http/server/access-log'
import { companyPath, ACCOUNT_PATH, NAVIGATION } from '#wording/navigation'
import { capitalise } from '#pages/parts/call-words'
import {
  renderCode,
  isolate,
  html,
  renderCopyable,
  renderFacts,
  renderTable,
  renderActions,
  renderButton,
  renderNameLink,
  renderHint,
  renderJoined,
} from '#pages/parts/elements'
import { sendCardPage, sendUserPage, renderBreadcrumb } from '#pages/parts/layout'
import type { SignInPreview } from '#accounts/sign-in/sign-in-through-provider'
import type { SessionUser } from '#accounts/users/sessions'
import type { Role } from '#domain/accounts/roles'
import type { SignInRefusal } from '#domain/providers/decide-sign-in'

/** Why nobody was signed in. `not_begun`, `not_ready`: found by the pages themselves. */
type FailureReason = ProviderFault | SignInRefusal | 'not_begun' | 'not_ready' | 'changed_user'

interface FailureWords {
  status: number
  /** What has happened, for the person who tried. PROVIDER stands for the name of the provider. */
  title: string
  /** What that person can do. */
  advice: string
  /** What the company's IT should look at. */
  forIt: string
}

const AGAIN = 'Start again. If this keeps happening, send the lines below to your IT team.'

const LINK =
  'If you have a one-time link, open it first. If you can sign in with a password, link your account on your ' +
  'account page.'
const LINK_FOR_IT =
  'Where the provider cannot do that, users link their account: through a one-time link, which an administrator ' +
  'can create on the page of the user, or with a password, on the account page.'

/** What the pages say about each failure. */
const FAILURE_WORDS: Record<FailureReason, FailureWords> = {
  unreachable: {
    status: 502,
    title: 'PROVIDER did not answer',
    advice: 'Try again in a minute. If this keeps happening, send the lines below to your IT team.',
    forIt:
      'This service could not connect to the provider, or the answer took more than 10 seconds. The provider ' +
      'needs a public https address with a valid certificate, and must not redirect.',
  },
  misconfigured: {
    status: 502,
    title: 'The settings for PROVIDER do not match',
    advice: 'Send the lines below to your IT team or an administrator.',
    forIt:
      'What the provider publishes or sends does not match the settings in Company Settings, Sign-in. The check ' +
      'on that page says more.',
  },
  client_refused: {
    status: 502,
    title: 'PROVIDER refused this service',
    advice: 'Send the lines below to your IT team or an administrator.',
    forIt:
      'The provider did not accept the client ID, the client secret or key, or the redirect URI. A secret may ' +
      'have expired. Compare them with Company Settings, Sign-in.',
  },
  denied: {
    status: 403,
    title: 'PROVIDER did not let you in',
    advice: 'If you did not cancel the sign-in, send the lines below to your IT team.',
    forIt: 'The person canceled, or may not use this application: check its assignments at the provider.',
  },
  invalid_response: {
    status: 400,
    title: 'PROVIDER sent an invalid answer',
    advice: AGAIN,
    forIt:
      'The answer failed a check of state, nonce, code, signature, or claims. If it happens only once, a second ' +
      'tab may be the cause.',
  },
  wrong_issuer: {
    status: 400,
    title: 'The answer came from another provider',
    advice: AGAIN,
    forIt:
      'The issuer in the answer is not the one in Company Settings, Sign-in. If the settings are right, someone ' +
      'may be trying to mix up two providers.',
  },
  clock_skew: {
    status: 502,
    title: 'The clocks of PROVIDER and this service differ',
    advice: 'Send the lines below to your IT team.',
    forIt: 'A token is not yet valid, or no longer valid. Both machines need the right time (NTP).',
  },
  outdated: {
    status: 409,
    title: 'Something was changed while you were signing in',
    advice: 'Start again.',
    forIt: 'An administrator changed the settings of the provider, or the user, in the meantime.',
  },
  not_begun: {
    status: 400,
    title: 'This sign-in has ended, or was started elsewhere',
    advice: 'Start again, in this browser, and finish within ten minutes.',
    forIt:
      'The browser has no cookie for this sign-in: it took too long, has already finished, or was started in ' +
      'another browser. Cookies must be allowed.',
  },
  not_ready: {
    status: 503,
    title: 'Signing in with PROVIDER is not possible at the moment',
    advice: 'Send the lines below to an administrator.',
    forIt:
      'The operator of this service must set PUBLIC_URL to its https address, and SECRETS_KEY to the key under ' +
      'which the secrets of providers were encrypted.',
  },
  changed_user: {
    status: 409,
    title: 'You are signed in as someone else now',
    advice: 'Start again from your account page.',
    forIt: 'The session that began this has ended, or belongs to another user.',
  },
  provider_off: {
    status: 403,
    title: 'Signing in with PROVIDER is off',
    advice: 'Sign in another way, or ask an administrator.',
    forIt: 'An administrator can turn the provider on in Company Settings, Sign-in.',
  },
  not_a_user: {
    status: 403,
    title: 'You are not a user yet',
    advice: 'Ask an administrator of your company to invite you, with the email below.',
    forIt:
      'No user has this email, and the company does not create users at their first sign-in (Company Settings, ' +
      'Sign-in).',
  },
  email_missing: {
    status: 403,
    title: 'PROVIDER did not say who you are',
    advice: `Send the lines below to your IT team. ${LINK}`,
    forIt: `The first sign-in needs the claims "email" and "email_verified": true. ${LINK_FOR_IT}`,
  },
  email_unverified: {
    status: 403,
    title: 'Your email is not verified at PROVIDER',
    advice: `Verify it there, or send the lines below to your IT team. ${LINK}`,
    forIt: `The first sign-in needs the claim "email_verified": true. ${LINK_FOR_IT}`,
  },
  email_inexact: {
    status: 403,
    title: 'Your email at PROVIDER is spelled differently from the one here',
    advice: `Send the lines below to your IT team. ${LINK}`,
    forIt:
      'The first sign-in needs the email exactly as in Company Settings, Users: only the case of A to Z may differ. ' +
      `A letter that looks the same, or an accent in another encoding, makes it another address. ${LINK_FOR_IT}`,
  },
  linked_elsewhere: {
    status: 403,
    title: 'Your user is linked to another account',
    advice: 'Sign in with the account that you used before, or ask an administrator to unlink your user.',
    forIt: 'The account at the provider was replaced by one with another subject, or someone else has this email now.',
  },
  user_removed: {
    status: 403,
    title: 'You are no longer a user',
    advice: 'Ask an administrator of your company to invite you again.',
    forIt: 'An administrator removed the user with this account or email.',
  },
  account_taken: {
    status: 403,
    title: 'Another user is linked to this account',
    advice: 'Sign in with that user, or ask an administrator to unlink it.',
    forIt: 'An account at the provider belongs to one user.',
  },
  link_invalid: {
    status: 403,
    title: 'This one-time link no longer works',
    advice: 'Ask an administrator for a new one.',
    forIt: 'The link was used or replaced, or has expired. An administrator can create one on the page of the user.',
  },
}

/** Why someone authenticates at the provider: to sign in; to link a user; or, as an administrator, to test. */
export type AuthorizationPurpose = { to: 'sign in' } | LinkPurpose | { to: 'test'; userId: string }

export interface LinkPurpose {
  to: 'link'
  userId: string
  /** The SHA-256 of the one-time link's token that proves the user, in base64url; null if the session does. */
  linkHash: string | null
}

interface Failure {
  /** Null if it is not known. */
  companyId: string | null
  /** Null if the company has none, or nobody may know. */
  provider: StoredProvider | null
  reason: FailureReason
  /** What exactly went wrong, without secrets. */
  detail?: string
  /** Who came back, if that is known. */
  identity?: ProviderIdentity
  purpose?: AuthorizationPurpose
}

/** Sends the page about a sign-in that failed: what to do, and what to tell the company's IT. */
export function sendFailure(reply: FastifyReply, failure: Failure) {
  const { request } = reply
  const { companyId, provider, reason, purpose = { to: 'sign in' } } = failure
  const { status, title, advice, forIt } = FAILURE_WORDS[reason]
  const name = provider?.settings.name ?? 'the identity provider'
  request.log.warn({ reason, companyId, ...idsOf(request) }, 'a sign-in through an identity provider failed')
  return sendCardPage(reply.code(status), {
    title: capitalise(title.replace('PROVIDER', name)),
    body: html`<p role="alert">${advice}</p>
      <p class="actions">${renderWayOn(companyId, purpose)}</p>
      <h2>For your IT team</h2>
      <p>${forIt}</p>
      ${renderCopyable('failure', listFacts(request, failure).join('\n'))}`,
  })
}

/** Sends the page for an error of the provider client. Rethrows any other error. */
export function sendProviderFault(reply: FastifyReply, error: unknown, failure: Omit<Failure, 'reason' | 'detail'>) {
  if (error instanceof UnreadableSecretError) return sendFailure(reply, { ...failure, reason: 'not_ready' })
  if (!(error instanceof ProviderError)) throw error
  return sendFailure(reply, { ...failure, reason: error.fault, detail: error.message })
}

function listFacts({ id }: FastifyRequest, { companyId, provider, reason, detail, identity }: Failure) {
  const facts: [name: string, value: string | null | undefined][] = [
    ['Reason', reason],
    ['Detail', detail],
    ['Provider', provider?.settings.name],
    ['Issuer', provider?.settings.issuer],
    ['Account', identity?.subject],
    ['Email', identity?.claimedEmail],
    ['Company', companyId],
    ['Request', id],
    ['Time', databaseTime()],
  ]
  return facts.filter(([, value]) => typeof value === 'string').map(([name, value]) => `${name}: ${value}`)
}

function renderWayOn(companyId: string | null, purpose: AuthorizationPurpose) {
  switch (purpose.to) {
    case 'sign in':
      return renderButton(companyId === null ? '/sign-in' : companyPath(companyId), 'Start again', 'primary')
    case 'link':
      if (purpose.linkHash !== null) return html`To start again, open the one-time link again.`
      return renderButton(ACCOUNT_PATH, 'Your account', 'primary')
    case 'test':
      return renderButton(NAVIGATION.signIn.path, 'Back to Sign-in', 'primary')
  }
}

/** Sends the page with the result of a test: what signing in would have done, and what the provider sent. */
export function sendTestResult(
  reply: FastifyReply,
  viewer: SessionUser,
  identity: ProviderIdentity,
  preview: SignInPreview,
) {
  const { issuer, subject, name, roleValues } = identity
  const claims = Object.entries(identity.claims)
  return sendUserPage(reply, viewer, {
    title: 'Test result',
    body: html`${renderBreadcrumb(NAVIGATION.signIn)}
      <h1>Test result</h1>
      <p class="${preview.outcome === 'refused' ? 'alert' : 'notice'}" role="status">
        ${renderOutcome(preview)} Nothing was changed.
      </p>
      <h2>What the provider says</h2>
      ${renderFacts({
        Account: html`${renderCode(subject)} at ${isolate(issuer)}`,
        Email: renderEmail(identity),
        Name: name === null ? 'None' : isolate(name),
        'Values of the role claim':
          roleValues.length === 0 ? 'None' : renderJoined(roleValues.map((value) => renderCode(value))),
      })}
      <h2>All claims</h2>
      ${renderTable({
        caption: 'Claims',
        columns: {
          Claim: ([claim]) => renderCode(formatClaim(claim)),
          Value: ([, value]) => renderCode(formatClaim(value)),
        },
        rows: claims.slice(0, MAX_CLAIMS),
      })}
      ${claims.length > MAX_CLAIMS && renderHint(`and ${claims.length - MAX_CLAIMS} more`)}
      ${renderActions(renderButton(NAVIGATION.signIn.path, 'Back to Sign-in', 'primary'))}`,
  })
}

function renderOutcome(preview: SignInPreview) {
  switch (preview.outcome) {
    case 'linked':
      return html`You would be signed in as ${renderUser(preview.user)}, who is linked with this account
      ${renderRole(preview.user.role, preview.role)}.`
    case 'matched':
      return html`You would be signed in as ${renderUser(preview.user)}, who has this verified email and would be linked
      with this account ${renderRole(preview.user.role, preview.role)}.`
    case 'created':
      return html`A new user ${isolate(preview.email)} would be created, with the role ${preview.role}.`
    case 'refused':
      return html`Signing in would be refused. ${FAILURE_WORDS[preview.refusal].forIt}`
  }
}

function renderUser({ id, name, email }: { id: string; name: string; email: string }) {
  return html`${renderNameLink(`${NAVIGATION.users.path}/${id}`, name)} (${isolate(email)})`
}

function renderRole(before: Role, after: Role) {
  return before === after ? `and keep the role ${after}` : `and get the role ${after} instead of ${before}`
}

function renderEmail({ email, claimedEmail: claimed, isEmailVerified }: ProviderIdentity) {
  if (email !== null) return html`${isolate(email)}, verified`
  if (claimed === null) return html`None`
  if (isEmailVerified) return html`${isolate(claimed)}, verified, but not written as it would be here`
  return html`${isolate(claimed)}, not verified: the provider does not send <code>email_verified</code> as true`
}

const MAX_CLAIMS = 200
const MAX_CHARACTERS = 2_000

function formatClaim(value: unknown) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}

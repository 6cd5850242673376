import { databaseTime } from '../../postgres/database-clock.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StoredProvider } from '../../accounts/providers/read-provider.ts'
import { ProviderError, type ProviderIdentity } from '../../accounts/oidc/provider-client.ts'
import { UnreadableSecretError } from '../../accounts/secrets/secret-box.ts'
import { idsOf } from '../../http/server/access-log.ts'
import { companyPath, ACCOUNT_PATH, NAVIGATION } from '../../wording/navigation.ts'
import { capitalise } from '../parts/call-words.ts'
import { html } from '../parts/html.ts'
import { sendCardPage } from '../parts/layout.ts'
import { renderCopyable } from '../parts/once.ts'
import { FAILURE_WORDS, type FailureReason } from './failure-words.ts'
import type { AuthorizationPurpose } from './authorization-request.ts'

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
export function sendFailure(reply: FastifyReply, failure: Failure): Promise<FastifyReply> {
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
export function sendProviderFault(
  reply: FastifyReply,
  error: unknown,
  failure: Omit<Failure, 'reason' | 'detail'>,
): Promise<FastifyReply> {
  if (error instanceof UnreadableSecretError) return sendFailure(reply, { ...failure, reason: 'not_ready' })
  if (!(error instanceof ProviderError)) throw error
  return sendFailure(reply, { ...failure, reason: error.fault, detail: error.message })
}

function listFacts({ id }: FastifyRequest, { companyId, provider, reason, detail, identity }: Failure): string[] {
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
      return html`<a class="button primary" href="${companyId === null ? '/sign-in' : companyPath(companyId)}">Start again</a>`
    case 'link':
      if (purpose.linkHash !== null) return html`To start again, open the one-time link again.`
      return html`<a class="button primary" href="${ACCOUNT_PATH}">Your account</a>`
    case 'test':
      return html`<a class="button primary" href="${NAVIGATION.signIn.path}">Back to Sign-in</a>`
  }
}

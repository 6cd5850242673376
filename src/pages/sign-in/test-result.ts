import type { FastifyReply } from 'fastify'
import type { SignInPreview } from '../../accounts/sign-in/sign-in-through-provider.ts'
import type { SessionUser } from '../../accounts/users/sessions.ts'
import type { Role } from '../../domain/accounts/roles.ts'
import type { ProviderIdentity } from '../../accounts/oidc/provider-client.ts'
import { html, type Html } from '../parts/html.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { renderFacts } from '../parts/facts.ts'
import { NAVIGATION } from '../../wording/navigation.ts'
import { renderTable } from '../parts/table.ts'
import { FAILURE_WORDS } from './failure-words.ts'

/** Sends the page with the result of a test: what signing in would have done, and what the provider sent. */
export function sendTestResult(
  reply: FastifyReply,
  viewer: SessionUser,
  identity: ProviderIdentity,
  preview: SignInPreview,
): Promise<FastifyReply> {
  const { issuer, subject, name, roleValues } = identity
  return sendUserPage(reply, viewer, {
    title: 'Test result',
    body: html`${renderBreadcrumb(NAVIGATION.signIn)}
      <h1>Test result</h1>
      <p class="${preview.outcome === 'refused' ? 'alert' : 'notice'}" role="status">
        ${renderOutcome(preview)} Nothing was changed.
      </p>
      <h2>What the provider says</h2>
      ${renderFacts([
        ['Account', html`<code>${subject}</code> at <bdi>${issuer}</bdi>`],
        ['Email', renderEmail(identity)],
        ['Name', name === null ? 'None' : html`<bdi>${name}</bdi>`],
        [
          'Values of the role claim',
          roleValues.length === 0
            ? 'None'
            : html`${roleValues.map((value, at) => html`${at > 0 ? ', ' : ''}<code>${value}</code>`)}`,
        ],
      ])}
      <h2>All claims</h2>
      ${renderTable({
        caption: 'Claims',
        columns: [
          { heading: 'Claim', cell: ([claim]) => html`<code>${claim}</code>` },
          { heading: 'Value', cell: ([, value]) => html`<code>${formatClaim(value)}</code>` },
        ],
        rows: Object.entries(identity.claims),
      })}
      <p class="actions"><a class="button primary" href="${NAVIGATION.signIn.path}">Back to Sign-in</a></p>`,
  })
}

function renderOutcome(preview: SignInPreview): Html {
  switch (preview.outcome) {
    case 'linked':
      return html`You would be signed in as ${renderUser(preview.user)}, who is linked with this account
      ${renderRole(preview.user.role, preview.role)}.`
    case 'matched':
      return html`You would be signed in as ${renderUser(preview.user)}, who has this verified email and would be linked
      with this account ${renderRole(preview.user.role, preview.role)}.`
    case 'created':
      return html`A new user <bdi>${preview.email}</bdi> would be created, with the role ${preview.role}.`
    case 'refused':
      return html`Signing in would be refused. ${FAILURE_WORDS[preview.refusal].forIt}`
  }
}

function renderUser({ id, name, email }: { id: string; name: string; email: string }): Html {
  return html`<a href="${NAVIGATION.users.path}/${id}"><bdi>${name}</bdi></a> (<bdi>${email}</bdi>)`
}

function renderRole(before: Role, after: Role): string {
  return before === after ? `and keep the role ${after}` : `and get the role ${after} instead of ${before}`
}

function renderEmail({ email, claimedEmail: claimed, isEmailVerified }: ProviderIdentity): Html {
  if (email !== null) return html`<bdi>${email}</bdi>, verified`
  if (claimed === null) return html`None`
  if (isEmailVerified) return html`<bdi>${claimed}</bdi>, verified, but not written as it would be here`
  return html`<bdi>${claimed}</bdi>, not verified: the provider does not send <code>email_verified</code> as true`
}

const MAX_CHARACTERS = 2_000

function formatClaim(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}

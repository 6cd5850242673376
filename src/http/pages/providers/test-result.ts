import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionUser } from '../../../accounts/users/sessions.ts'
import type { Role } from '../../../domain/accounts/roles.ts'
import type { ProviderIdentity } from '../../../accounts/oidc/provider-client.ts'
import { html, type Html } from '../parts/html.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { renderFacts } from '../parts/facts.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderTable } from '../parts/table.ts'

/** What a test of signing in found. Nothing has changed. */
interface TestResult {
  identity: ProviderIdentity
  outcome: TestOutcome
}

/** What signing in would have done. `role` is the user's role afterwards. */
type TestOutcome =
  /** The user is known by the account at the provider, or would be linked with it by the email. */
  | { outcome: 'linked' | 'matched'; user: { id: string; name: string; email: string; role: Role }; role: Role }
  | { outcome: 'created'; email: string; role: Role }
  /** `reason` is a sentence for the administrator. */
  | { outcome: 'refused'; reason: string }

/** Sends the page with the result of a test. */
export function sendTestResult(
  request: FastifyRequest,
  reply: FastifyReply,
  viewer: SessionUser,
  result: TestResult,
): Promise<FastifyReply> {
  return sendUserPage(request, reply, viewer, {
    title: 'Test result',
    body: html`${renderBreadcrumb(NAVIGATION.signIn)}
      <h1>Test result</h1>
      ${renderTestResult(result)}
      <p class="actions"><a class="button primary" href="${NAVIGATION.signIn.path}">Back to Sign-in</a></p>`,
  })
}

/** Renders the result of a test: what signing in would have done, and what the provider sent. */
function renderTestResult({ identity, outcome }: TestResult): Html {
  const { issuer, subject, name, roleValues } = identity
  return html`<p class="${outcome.outcome === 'refused' ? 'alert' : 'notice'}" role="status">
      ${renderOutcome(outcome)} Nothing was changed.
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
    })}`
}

function renderOutcome(outcome: TestOutcome): Html {
  switch (outcome.outcome) {
    case 'linked':
      return html`You would be signed in as ${renderUser(outcome.user)}, who is linked with this account
      ${renderRole(outcome.user.role, outcome.role)}.`
    case 'matched':
      return html`You would be signed in as ${renderUser(outcome.user)}, who has this verified email and would be linked with
      this account ${renderRole(outcome.user.role, outcome.role)}.`
    case 'created':
      return html`A new user <bdi>${outcome.email}</bdi> would be created, with the role ${outcome.role}.`
    case 'refused':
      return html`Signing in would be refused. ${outcome.reason}`
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

import type { Unlinked } from '../../../accounts/providers/list-break-glass.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { formatNumber } from '../parts/shown-values.ts'

/** Says how many users have no account at the provider yet. */
export function describeUnlinked({ users, unlinked }: Unlinked): string {
  return unlinked === 0
    ? 'All users have signed in through the provider.'
    : `${formatNumber(unlinked)} of ${formatNumber(users)} users have never signed in through the provider.`
}

/** Renders who has no account at the provider yet. */
export function renderUnlinked(counts: Unlinked): Html {
  const { first, unlinked } = counts
  if (unlinked === 0) return html`<p>Nobody is missing. You can require the provider.</p>`
  const others = unlinked - first.length
  return html`<p>They keep their password or passkey until you require the provider. Then they need the sign-in link.</p>
    <ul>
      ${first.map(({ id, name, email }) => html`<li><a href="${NAVIGATION.users.path}/${id}"><bdi>${name}</bdi></a> <span class="hint"><bdi>${email}</bdi></span></li>`)}
      ${others > 0 ? html`<li>${formatNumber(others)} more</li>` : ''}
    </ul>`
}

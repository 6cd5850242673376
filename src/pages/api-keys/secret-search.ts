import { findSecrets, type FoundSecrets } from '#accounts/api-keys/find-secrets'
import { hasPreviousSecret, type SeenKey } from '#accounts/api-keys/read-api-keys'
import type { SeenToken } from '#accounts/users/read-user-tokens'
import { readNames } from '#ledger/read/read-names'
import { ALWAYS } from '#http/access/heavy-reads'
import { SecretSearchBody, toSecretSearch } from '#api/admin/secret-search'
import { renderTokenStatus } from '../account/token-list.ts'
import { checkForm, renderField, type FormProblem } from '../parts/form.ts'
import type { Form } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '#wording/navigation'
import type { PageServices } from '../parts/page-services.ts'
import { renderLastFour } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'
import { renderKeyStatus, renderSecretEnds } from './api-key-facts.ts'
import { trimBlanks } from '#text/normalize-text'

const { path: PATH } = NAVIGATION.apiKeys

/**
 * Makes the form that searches for a key or token. It is a form, because a secret must not be in an address; the answer
 * does not repeat what was entered, and the form is not kept if the session has ended.
 */
export function makeSecretSearch({ db }: PageServices): Form<unknown, never> {
  return {
    config: { isHeavyRead: ALWAYS },
    async run(request, { q = '', secret_sha256: sha256 = '' }) {
      if (trimBlanks(q) === '' && sha256 === '') return { goTo: PATH }
      const { companyId, timeZone } = getViewer(request)
      const search = toSecretSearch(checkForm(SecretSearchBody, sha256 === '' ? { q } : { secret_sha256: sha256 }))
      const found = await findSecrets(db, companyId, search)
      const ownerIds = found.items.flatMap(({ token }) => token?.token.userId ?? [])
      const owners = await readNames(db, companyId, ownerIds)
      return {
        page: {
          title: 'Keys and tokens found',
          trail: [NAVIGATION.apiKeys],
          body: html`${renderSecretSearch(null)} ${renderFound(found, owners, timeZone)}`,
        },
      }
    },
  }
}

const HINT = 'A name, an ID, the last four characters of a secret, or a whole secret, such as one that leaked.'

/** Renders the search. With a script, the browser sends the SHA-256 of a secret instead of the secret. */
export function renderSecretSearch(problem: FormProblem): Html {
  return html`<form method="post" action="${PATH}" class="filters" role="search" data-hashed-secret>
    ${renderField({ name: 'q', label: 'Find a key or token', autocomplete: 'off', isNoWord: true, hint: HINT }, problem)}
    <input type="hidden" name="secret_sha256" />
    <div class="actions"><button>Find</button></div>
  </form>`
}

function renderFound({ items, isMore }: FoundSecrets, owners: ReadonlyMap<string, string>, timeZone: string): Html {
  if (items.length === 0)
    return html`<p class="empty">
      No key or token of this company matches. Secrets that were replaced more than once ago are no longer stored.
    </p>`
  return html`${renderTable({
    caption: 'Keys and tokens',
    columns: [
      {
        heading: 'Name and ID',
        cell: ({ key, token }) => (key ? renderKeyName(key) : renderTokenName(token, owners)),
      },
      {
        heading: 'Found by',
        cell: ({ by, key }) =>
          html`${FOUND_BY[by]}${key && by === 'previous_secret' ? renderPreviousEnd(key, timeZone) : ''}`,
      },
      { heading: 'Status', cell: ({ key, token }) => (key ? renderKeyStatus(key) : renderTokenStatus(token)) },
      {
        heading: 'Secret',
        cell: ({ key, token }) => (key ? renderSecretEnds(key) : renderLastFour(token.token.lastFour)),
      },
    ],
    rows: items,
  })}
    ${isMore ? html`<p>There are more. Enter more of the name.</p>` : ''}`
}

function renderKeyName({ key }: SeenKey): Html {
  return html`<a href="${PATH}/${key.id}"><bdi>${key.name}</bdi></a><br /><code class="below">${key.id}</code>`
}

function renderTokenName({ token }: SeenToken, owners: ReadonlyMap<string, string>): Html {
  return html`<a href="${NAVIGATION.users.path}/${token.userId}#tokens"><bdi>${token.name}</bdi></a><br />
    Token of <bdi>${owners.get(token.userId) ?? 'Erased user'}</bdi><br /><code class="below">${token.id}</code>`
}

const FOUND_BY = {
  secret: 'Its secret',
  previous_secret: 'Its previous secret',
  id: 'Its ID',
  last_four: 'The last four characters',
  name: 'Its name',
}

function renderPreviousEnd(seen: SeenKey, timeZone: string): Html {
  const { previousExpiresAt: end } = seen.key
  return end === null
    ? html``
    : html`, which ${hasPreviousSecret(seen) ? 'works until' : 'ended'} ${renderTime(end, timeZone)}`
}

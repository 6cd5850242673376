import type { FastifyInstance, FastifyReply } from 'fastify'
import { findSecretIn } from '#domain/accounts/secrets'
import { isStorableText } from '#domain/storable-text'
import { ALWAYS } from '#http/access/heavy-reads'
import { readFormFields, renderField } from '#pages/parts/form'
import { html, isolate, renderEmpty } from '#pages/parts/elements'
import { sendUserPage } from '#pages/parts/layout'
import { NAVIGATION, SEARCH_PATH } from '#wording/navigation'
import { type PageServices, getViewer } from '#pages/parts/context'
import { findTargets, type SearchTarget } from './find-targets.ts'
import { trimBlanks } from '#text/normalize-text'

const MAX_TEXT = 254

/**
 * `/settings/search`: leads to any page, person, key, webhook and entry. The text is sent as a form, because names and
 * secrets must not be in an address.
 */
export function addSearchPage(app: FastifyInstance, services: PageServices) {
  app.get(SEARCH_PATH, async (_, reply) => sendSearch(services, reply, ''))
  app.post(SEARCH_PATH, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const { q = '' } = readFormFields(request.body)
    return sendSearch(services, reply, trimBlanks(q).slice(0, MAX_TEXT))
  })
}

async function sendSearch({ reads }: PageServices, reply: FastifyReply, text: string) {
  const { request } = reply
  const viewer = getViewer(request)
  const isSearchable = findSecretIn(text) === null && isStorableText(text)
  const db = await reads.of(viewer.companyId, request.left)
  const targets = isSearchable ? await findTargets(db, viewer, text) : listForSecret()
  return sendUserPage(reply, viewer, {
    title: 'Search',
    body: html`<h1>Search</h1>
      <form method="post" action="${SEARCH_PATH}" class="filters" role="search">
        ${renderField(
          {
            name: 'q',
            label: 'Page, person, key or entry',
            hint: 'A name or an ID.',
            value: isSearchable ? text : '',
            maxLength: MAX_TEXT,
            isRequired: false,
            hasFocus: true,
          },
          null,
        )}
        <button class="primary">Search</button>
      </form>
      ${renderTargets(targets)}`,
  })
}

/** A secret is not repeated; the search for keys hashes it. */
function listForSecret(): SearchTarget[] {
  const { path, label } = NAVIGATION.apiKeys
  return [{ kind: 'Page', label, detail: 'Search for a secret there', href: path }]
}

function renderTargets(targets: SearchTarget[]) {
  if (targets.length === 0) return renderEmpty('Nothing has this name or ID.')
  return html`<ul class="places">
    ${targets.map(
      ({ kind, label, detail, href }) =>
        html`<li>
          <a href="${href}"
            ><span class="target-kind">${kind}</span> ${isolate(label)} <span class="hint">${isolate(detail)}</span></a
          >
        </li>`,
    )}
  </ul>`
}

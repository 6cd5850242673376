import type { FastifyInstance } from 'fastify'
import { NO_PROVIDER } from '#accounts/providers/change-provider'
import { readProvider, type StoredProvider } from '#accounts/providers/read-provider'
import { unlinkIdentity } from '#accounts/sign-in/link-identity'
import type { UserRecord } from '#accounts/users/users'
import { findSessionUser } from '#http/access/session'
import { ProblemError } from '#http/server/problem'
import { companyPath, ACCOUNT, ACCOUNT_PATH } from '#wording/navigation'
import { readSeenVersion, renderButtons } from '../parts/form.ts'
import { addFormPage, renderForm } from '../parts/form-page.ts'
import { html, type Html } from '../parts/elements.ts'
import { type PageServices, getActing, getViewer, requireOwnUser } from '../parts/context.ts'
import { keepAuthorizationRequest } from '../sign-in/provider-sign-in.ts'
import { renderProof, requireProof } from '../parts/proof.ts'

const PATH = `${ACCOUNT_PATH}/provider`

/** `/account/provider`: links the user to an account at the company's identity provider, or unlinks them. */
export function addAccountProvider(app: FastifyInstance, services: PageServices): void {
  const { access, company, sessions } = services
  addFormPage(app, {
    path: PATH,
    load: async (request) => ({
      provider: await requireUsedProvider(services, getViewer(request).companyId),
      user: await requireOwnUser(services, request),
    }),
    render: async ({ provider, user }, forms, request) => {
      const { name } = provider.settings
      const form = isLinked(user, provider) ? 'unlink' : 'link'
      const proof = await renderProof(services, request, { next: PATH, problem: forms.problemOf(form) })
      const { verb, text, button, kind } = QUESTIONS[form]
      return {
        title: `${verb} ${name}`,
        heading: html`${verb} <bdi>${name}</bdi>?`,
        trail: [ACCOUNT],
        body: html`<p>${text(name)}</p>
          ${renderForm(forms, form, {
            version: user.version,
            fields: [proof],
            buttons: renderButtons(button, ACCOUNT_PATH, kind),
          })}`,
      }
    },
    forms: {
      link: {
        path: '/link',
        async run(request, _, reply) {
          const { companyId, userId, email } = getViewer(request)
          const { name } = (await requireUsedProvider(services, companyId)).settings
          await requireProof(services, reply)
          const purpose = { to: 'link', userId, linkHash: null } as const
          const asked = { companyId, email, purpose, flow: null, next: '', kept: null }
          keepAuthorizationRequest(services, reply, asked)
          // A page with a link: the policy of our pages lets no form lead to another site, not even by a redirect.
          return {
            page: {
              title: `Link to ${name}`,
              body: html`<p>
                  Sign in there with your own account. From then on, it signs you in here as <bdi>${email}</bdi>.
                </p>
                <p class="actions">
                  <a class="button primary" href="${companyPath(companyId)}/start?link=1">Continue to <bdi>${name}</bdi></a>
                  <a class="button" href="${ACCOUNT_PATH}">Cancel</a>
                </p>`,
            },
          }
        },
      },
      unlink: {
        path: '/unlink',
        async run(request, fields, reply) {
          await requireProof(services, reply)
          const acting = getActing(request)
          await unlinkIdentity(company, acting, acting.actor, readSeenVersion(fields))
          // The session has ended if it began at the provider.
          const isIn = await findSessionUser(access, request, sessions, 'peek')
          return { goTo: isIn ? `${ACCOUNT_PATH}?done=unlinked` : '/sign-in' }
        },
      },
    },
  })
}

/** What each form asks about the provider of this name. */
const QUESTIONS = {
  link: {
    verb: 'Link to',
    text: () => html`You sign in there next. From then on, that account signs you in here.`,
    button: 'Link',
    kind: 'primary',
  },
  unlink: {
    verb: 'Unlink from',
    text: (name: string) =>
      html`You can't sign in with <bdi>${name}</bdi> then, and your sessions that began there end. You need a password
        or a passkey.`,
    button: 'Unlink',
    kind: 'danger',
  },
} as const

/** Renders how the user signs in through the company's provider; nothing if it has none in use. */
export async function renderProviderLink(services: PageServices, user: UserRecord, companyId: string): Promise<Html> {
  const provider = await findUsedProvider(services, companyId)
  if (!provider) return html``
  const { name } = provider.settings
  return html`<h2><bdi>${name}</bdi></h2>
    ${
      isLinked(user, provider)
        ? html`<p>You sign in with the account <code>${user.identity?.subject}</code> at <bdi>${name}</bdi>.</p>
            <p><a class="button" href="${PATH}">Unlink…</a></p>`
        : html`<p>You are not linked to an account at <bdi>${name}</bdi> yet.</p>
            <p><a class="button" href="${PATH}">Link…</a></p>`
    }`
}

async function findUsedProvider({ providers }: PageServices, companyId: string): Promise<StoredProvider | null> {
  const provider = await readProvider(providers.pool, companyId)
  return provider?.use.use === 'off' ? null : provider
}

async function requireUsedProvider(services: PageServices, companyId: string): Promise<StoredProvider> {
  const provider = await findUsedProvider(services, companyId)
  if (!provider) throw new ProblemError(NO_PROVIDER)
  return provider
}

function isLinked({ identity }: UserRecord, { settings }: StoredProvider): boolean {
  return identity?.issuer === settings.issuer
}

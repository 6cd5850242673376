import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { changeProvider, rotateProviderSecret } from '../../../accounts/providers/change-provider.ts'
import { listBreakGlass, readUnlinkedUsers } from '../../../accounts/providers/list-break-glass.ts'
import { readPublicKeys } from '../../../accounts/providers/provider-secret.ts'
import { readProvider, type StoredProvider } from '../../../accounts/providers/read-provider.ts'
import { findUser } from '../../../accounts/users/users.ts'
import { isId } from '../../../domain/ids.ts'
import type { Problem } from '../../../domain/errors.ts'
import type { ProviderUse } from '../../../domain/provider-settings.ts'
import { UnreadableSecretError, type SecretBox } from '../../../accounts/secrets/secret-box.ts'
import {
  readFormFields,
  readSeenVersion,
  renderFormAlert,
  renderSeenVersion,
  toFormProblem,
  type FormFields,
} from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import { renderSection } from '../parts/section.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import {
  AUTHENTICATION,
  MEANINGS,
  renderAddresses,
  renderProviderActions,
  renderProviderFacts,
  renderSignInLink,
} from './provider-facts.ts'
import { describeUnlinked, renderUnlinked } from './provider-sections.ts'
import {
  formatFields,
  PROVIDER_FIELDS,
  readNewSecret,
  readSettingsForm,
  renderProviderFields,
  renderSecretFields,
} from './provider-form.ts'
import { renderRemoval, renderUseForms, type UseForms } from './provider-use.ts'
import { findOperatorSettings, renderUse } from './provider-words.ts'
import { requireProvider } from './require-provider.ts'

const { path: PATH } = NAVIGATION.signIn

const DONE = {
  added: 'Identity provider set up. Test it before you switch it on.',
  saved: 'Changes saved. They apply to the next sign-in.',
  replaced: 'Secret replaced. It applies to the next sign-in.',
  off: 'Provider turned off.',
  optional: 'Provider switched on. Users can sign in through it.',
  required: 'Provider required. Users must sign in through it.',
  removed: 'Identity provider removed.',
}

/** A form with fields; null for a button. */
type FormName = 'edit' | 'secret' | 'turn on' | 'require' | null

/** The form that was refused, and why. */
interface WrongForm {
  form: FormName
  problem: Problem
}

/** `/settings/sign-in`: the company's identity provider, with everything that can be done with it. */
export function addProviderPage(app: FastifyInstance, services: PageServices, limits: SignInLimits): void {
  const { providers } = services
  app.get(PATH, (request, reply) => sendProvider(services, request, reply, null))

  /** Adds a form that shows the page again if it is refused. */
  function addForm(
    path: string,
    form: FormName,
    run: (request: FastifyRequest, fields: FormFields, seen: number, reply: FastifyReply) => Promise<keyof typeof DONE>,
    kept?: readonly string[],
  ): void {
    const show = (request: FastifyRequest, reply: FastifyReply, problem: Problem) =>
      sendProvider(services, request, reply, { form, problem })
    const config = kept ? { keptForm: { fields: [...kept, 'seen'], show } } : {}
    app.post(`${PATH}${path}`, { config }, async (request, reply) => {
      try {
        const fields = readFormFields(request.body)
        const done = await run(request, fields, readSeenVersion(fields), reply)
        return await reply.redirect(`${PATH}?done=${done}`, 303)
      } catch (error) {
        return sendProvider(services, request, reply, { form, problem: toFormProblem(error) })
      }
    })
  }
  async function changeUse(request: FastifyRequest, reply: FastifyReply, use: ProviderUse, seen: number) {
    const provider = await requireProvider(services, request)
    // Whoever controls a provider that is on can sign in as any user.
    if (provider.use.use === 'off' && use.use !== 'off') await requireProof(services, limits, request, reply)
    await changeProvider(providers, getActing(request), { change: 'use', use }, seen)
  }

  addForm(
    '',
    'edit',
    async (request, fields, seen) => {
      const { settings: current } = await requireProvider(services, request)
      const settings = readSettingsForm(fields, current.client_auth, providers.allowsHttp)
      await changeProvider(providers, getActing(request), { change: 'edit', settings }, seen)
      return 'saved'
    },
    PROVIDER_FIELDS,
  )
  addForm('/secret', 'secret', async (request, fields, seen) => {
    await rotateProviderSecret(providers, getActing(request), readNewSecret(fields), seen)
    return 'replaced'
  })
  for (const [use, form] of [
    ['off', null],
    ['optional', 'turn on'],
  ] as const) {
    addForm(`/use/${use}`, form, async (request, _fields, seen, reply) => {
      await changeUse(request, reply, { use, break_glass: null }, seen)
      return use
    })
  }
  addForm(
    '/use/required',
    'require',
    async (request, { break_glass: given = '' }, seen, reply) => {
      await changeUse(request, reply, { use: 'required', break_glass: isId('usr', given) ? given : null }, seen)
      return 'required'
    },
    ['break_glass'],
  )
  addForm('/remove', null, async (request, _fields, seen) => {
    await changeProvider(providers, getActing(request), { change: 'remove' }, seen)
    return 'removed'
  })
}

async function sendProvider(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  wrong: WrongForm | null,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const provider = await readProvider(services.providers.pool, viewer.companyId)
  if (wrong) void reply.code(wrong.problem.status)
  return sendUserPage(request, reply, viewer, {
    title: 'Sign-in',
    body: html`<h1>Sign-in</h1>
      ${wrong ? renderFormAlert(wrong.problem) : renderNotice(request, DONE)}
      ${provider ? await renderProvider(services, request, provider, wrong) : renderNone(services, viewer.companyId)}`,
  })
}

function renderNone(services: PageServices, companyId: string): Html {
  const { missing } = findOperatorSettings(services, companyId)
  return html`<p>
      Users can sign in with their account at your company's identity provider, such as Okta, Entra ID, Google Workspace or
      Keycloak, through OpenID Connect.
    </p>
    ${missing ?? html`<p class="actions"><a class="button primary" href="${PATH}/new">Set up identity provider</a></p>`}`
}

async function renderProvider(
  services: PageServices,
  request: FastifyRequest,
  provider: StoredProvider,
  wrong: WrongForm | null,
): Promise<Html> {
  const { companyId, timeZone } = getViewer(request)
  const { break_glass: breakGlassId } = provider.use
  const breakGlass = breakGlassId === null ? null : await findUser(services.db, companyId, breakGlassId)
  const administrators = await listBreakGlass(services.providers.pool, companyId)
  const counts = await readUnlinkedUsers(services.providers.pool, companyId)
  const { addresses, missing } = findOperatorSettings(services, companyId)
  const keys = findKeys(services.providers.secrets, provider)
  const { settings, use } = provider
  const turnOn = wrong?.form === 'turn on' ? wrong.problem : null
  const proof = use.use === 'off' ? await renderProof(services, request, { next: PATH, problem: turnOn }) : html``
  return html`<h2><bdi>${settings.name}</bdi></h2>
    ${missing ?? ''}
    ${renderSection({ heading: 'Overview', status: renderUse(provider), isOpen: true }, html`${renderProviderFacts(provider, breakGlass, timeZone)} ${missing ? '' : renderProviderActions(provider)}`)}
    ${renderSection({ heading: 'Users', status: describeUnlinked(counts) }, html`${renderUnlinked(counts)} ${addresses ? renderSignInLink(addresses) : ''}`)}
    ${renderForms(request, provider, wrong, { administrators, counts, proof })}
    ${addresses ? renderSection({ heading: 'At the provider', status: 'The addresses to register there' }, renderAddresses(addresses, keys)) : ''}
    ${use.use === 'required' ? '' : renderSection({ heading: 'Removal', status: 'Deletes the settings and the secret' }, renderRemoval(provider))}`
}

/** The page must open without the key, too: the secret can be replaced there. */
function findKeys(secrets: SecretBox, provider: StoredProvider): { keys: object[] } | null {
  try {
    return readPublicKeys(secrets, provider)
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null
    throw error
  }
}

function renderForms(
  request: FastifyRequest,
  provider: StoredProvider,
  wrong: WrongForm | null,
  users: Pick<UseForms, 'administrators' | 'counts' | 'proof'>,
): Html {
  const problemOf = (form: FormName) => (wrong?.form === form ? wrong.problem : null)
  const sent = (form: FormName) => (problemOf(form) ? readFormFields(request.body) : null)
  // A form that comes back still shows the version that it was filled in for, unless the provider has changed since.
  const isOutdated = wrong?.problem.code === 'precondition_failed'
  const seenBy = (form: FormName) =>
    renderSeenVersion(isOutdated ? provider.version : readSeenVersion(sent(form) ?? { seen: String(provider.version) }))
  const current = formatFields(provider.settings)
  const use = {
    fields: sent('require') ?? {},
    problem: problemOf('require'),
    seen: seenBy('require'),
    isTurningOn: wrong?.form === 'turn on',
  }
  const { settings } = provider
  return html`${renderSection({ heading: 'Use', status: MEANINGS[provider.use.use], isOpen: true }, renderUseForms({ provider, ...users, ...use }))}
    ${renderSection(
      { heading: 'Settings', status: html`<code>${settings.issuer}</code>`, isOpen: wrong?.form === 'edit' },
      html`<form method="post" action="${PATH}" class="stack">
        ${seenBy('edit')} ${renderProviderFields(sent('edit') ?? current, problemOf('edit'))}
        <button class="primary">Save</button>
      </form>`,
    )}
    ${renderSection(
      { heading: 'Secret', status: AUTHENTICATION[settings.client_auth], isOpen: wrong?.form === 'secret' },
      html`<p>A new secret or key pair replaces the present one at once.</p>
        <form method="post" action="${PATH}/secret" class="stack">
          ${seenBy('secret')} ${renderSecretFields(sent('secret') ?? current, problemOf('secret'))}
          <button>Replace secret</button>
        </form>`,
    )}`
}

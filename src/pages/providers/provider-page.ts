import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ProviderAddresses } from '#domain/providers/provider-addresses'
import {
  readFormFields,
  renderButtons,
  renderHidden,
  type FormFields,
  readSeenVersion,
  toSentence,
} from '#pages/parts/form'
import {
  addFormPage,
  renderForm,
  type PageForms,
  type Form,
  type PageRequest,
  renderFormSection,
} from '#pages/parts/form-page'
import {
  html,
  renderCode,
  renderSection,
  isolate,
  renderActions,
  renderButton,
  renderMarked,
  renderAlert,
} from '#pages/parts/elements'
import { NAVIGATION, buildUrl } from '#wording/navigation'
import { type PageServices, getActing, getViewer, readProblemsOf } from '#pages/parts/context'
import { renderProblemsOf } from '#pages/parts/attention'
import { type ProviderClient, ProviderError } from '#accounts/oidc/provider-client'
import {
  listBreakGlass,
  readUnlinkedUsers,
  readPublicKeys,
  readProvider,
  type StoredProvider,
  addProvider,
  changeProvider,
  NO_PROVIDER,
  rotateProviderSecret,
} from '#accounts/providers/providers'
import { type SecretBox, UnreadableSecretError } from '#accounts/secrets/secret-box'
import { findUser } from '#accounts/users/users'
import { isId } from '#domain/ids'
import type { ProviderUse } from '#domain/provider-settings'
import { ProblemError } from '#http/server/problem'
import {
  findOperatorSettings,
  renderAddresses,
  AUTHENTICATION,
  MEANINGS,
  renderProviderActions,
  renderProviderFacts,
  renderSignInLink,
  renderUse,
  describeUnlinked,
  renderRemoval,
  renderUnlinked,
  renderUseForms,
} from './provider-facts.ts'
import { ANY_PROVIDER, PROVIDER_GUIDES } from './provider-guides.ts'
import {
  listProviderFields,
  listSecretFields,
  PROVIDER_FIELDS,
  readSetupForm,
  formatFields,
  readNewSecret,
  readSettingsForm,
} from './provider-form.ts'
import { renderProof, requireProof } from '#pages/parts/question-page'

const { path: PATH } = NAVIGATION.signIn

/** `/settings/sign-in/new`: the form that sets up the company's identity provider. */
export function addProviderSetup(app: FastifyInstance, services: PageServices) {
  const { providers } = services
  addFormPage(app, {
    path: `${PATH}/new`,
    load: async (request) => findOperatorSettings(services, getViewer(request).companyId),
    render: ({ addresses, missing }, forms, { query }) => ({
      title: 'Set up identity provider',
      trail: [NAVIGATION.signIn],
      body: missing ?? renderSetup(forms, addresses, (forms.sentTo('setUp') ?? readFormFields(query))['provider']),
    }),
    forms: {
      setUp: {
        keeps: [...PROVIDER_FIELDS, 'client_auth', 'provider'],
        async run(request, fields) {
          const { settings, secret } = readSetupForm(fields, providers.allowsHttp)
          await addProvider(providers, getActing(request), settings, secret)
          return { goTo: `${PATH}?done=added` }
        },
      },
    },
  })
}

function renderSetup(forms: PageForms<'setUp'>, addresses: ProviderAddresses, provider = '') {
  const chosen = Object.hasOwn(PROVIDER_GUIDES, provider) ? provider : ''
  const guide = PROVIDER_GUIDES[chosen] ?? ANY_PROVIDER
  return html`${renderChoiceOfGuide(chosen)}
    <h2>2. Register this service at ${chosen === '' ? 'the provider' : guide.label}</h2>
    <ol>
      ${guide.steps.map((step) => html`<li>${renderMarked(step, (part) => html`<strong>${part}</strong>`)}</li>`)}
    </ol>
    ${renderAddresses(addresses, null)}
    <h2>3. Enter what it shows</h2>
    <p>Nobody can sign in through it until you have tested it and switched it on.</p>
    ${renderForm(forms, 'setUp', {
      values: guide.fields,
      fields: [
        renderHidden('provider', chosen),
        ...listProviderFields(guide.issuer),
        ...listSecretFields(guide.takesNoKey),
      ],
      buttons: renderButtons('Set up', PATH),
    })}`
}

function renderChoiceOfGuide(chosen: string) {
  const choices = [...Object.entries(PROVIDER_GUIDES), ['', ANY_PROVIDER] as const]
  return html`<h2>1. Choose the provider</h2>
    <nav class="tools" aria-label="Provider">
      ${choices.map(([provider, { label }]) => {
        const current = provider === chosen ? html`aria-current="true"` : ''
        return html`<a class="button" href="${buildUrl(`${PATH}/new`, { provider })}" ${current}>${label}</a>`
      })}
    </nav>`
}

/** `/settings/sign-in`: the company's identity provider, with everything that can be done with it. */
export function addProviderPage(app: FastifyInstance, services: PageServices) {
  const { providers } = services
  async function changeUse(request: PageRequest, fields: FormFields, reply: FastifyReply, use: ProviderUse) {
    const provider = await requireProvider(services, request)
    // Whoever controls a provider that is on can sign in as any user.
    if (provider.use.use === 'off' && use.use !== 'off') await requireProof(services, reply)
    await changeProvider(providers, getActing(request), { change: 'use', use }, readSeenVersion(fields))
  }
  const switchTo = (use: 'off' | 'optional') => ({
    path: `/use/${use}`,
    async run(request: PageRequest, fields: FormFields, reply: FastifyReply) {
      await changeUse(request, fields, reply, { use, break_glass: null })
      return { done: use }
    },
  })
  addFormPage(app, {
    path: PATH,
    load: (request) => loadProvider(services, getViewer(request).companyId),
    render: async (shown, forms, request) => ({
      title: 'Sign-in',
      body: shown
        ? await renderProvider(services, shown, forms, request)
        : renderNone(services, getViewer(request).companyId),
    }),
    notices: {
      added: 'Identity provider set up. Test it before you switch it on.',
      saved: 'Changes saved. They apply to the next sign-in.',
      replaced: 'Secret replaced. It applies to the next sign-in.',
      off: 'Provider turned off.',
      optional: 'Provider switched on. Users can sign in through it.',
      required: 'Provider required. Users must sign in through it.',
      removed: 'Identity provider removed.',
    },
    forms: {
      edit: {
        keeps: [...PROVIDER_FIELDS, 'seen'],
        async run(request, fields) {
          const { settings: current } = await requireProvider(services, request)
          const settings = readSettingsForm(fields, current.client_auth, providers.allowsHttp)
          await changeProvider(providers, getActing(request), { change: 'edit', settings }, readSeenVersion(fields))
          return { done: 'saved' }
        },
      },
      secret: {
        path: '/secret',
        async run(request, fields) {
          await rotateProviderSecret(providers, getActing(request), readNewSecret(fields), readSeenVersion(fields))
          return { done: 'replaced' }
        },
      },
      off: switchTo('off'),
      optional: switchTo('optional'),
      require: {
        path: '/use/required',
        keeps: ['break_glass', 'seen'],
        async run(request, fields, reply) {
          const { break_glass: given = '' } = fields
          await changeUse(request, fields, reply, { use: 'required', break_glass: isId('usr', given) ? given : null })
          return { done: 'required' }
        },
      },
      check: makeProviderCheck(services),
      remove: {
        path: '/remove',
        async run(request, fields) {
          await changeProvider(providers, getActing(request), { change: 'remove' }, readSeenVersion(fields))
          return { done: 'removed' }
        },
      },
    },
  })
}

type ProviderForms = PageForms<'check' | 'edit' | 'secret' | 'off' | 'optional' | 'require' | 'remove'>

/** Loads a provider, and what the forms about its use show. */
async function loadProvider(services: PageServices, companyId: string) {
  const { pool } = services.providers
  const provider = await readProvider(pool, companyId)
  if (!provider) return null
  const { break_glass: id } = provider.use
  return {
    provider,
    breakGlass: id === null ? null : await findUser(services.db, companyId, id),
    administrators: await listBreakGlass(pool, companyId),
    counts: await readUnlinkedUsers(pool, companyId),
  }
}

/** Finds the identity provider of the viewer's company. Throws a problem if it has none. */
async function requireProvider({ providers }: PageServices, request: PageRequest) {
  const provider = await readProvider(providers.pool, getViewer(request).companyId)
  if (!provider) throw new ProblemError(NO_PROVIDER)
  return provider
}

function renderNone(services: PageServices, companyId: string) {
  const { missing } = findOperatorSettings(services, companyId)
  const setUp = renderActions(renderButton(`${PATH}/new`, 'Set up identity provider', 'primary'))
  return html`<p>
      Users can sign in with their account at your company's identity provider, such as Okta, Entra ID, Google or
      Keycloak, through OpenID Connect.
    </p>
    ${missing ?? setUp}`
}

const AT_THE_PROVIDER = { heading: 'At the provider', status: 'The addresses to register there' }
const REMOVAL = { heading: 'Removal', status: 'Deletes the settings and the secret' }

async function renderProvider(
  services: PageServices,
  shown: NonNullable<Awaited<ReturnType<typeof loadProvider>>>,
  forms: ProviderForms,
  request: PageRequest,
) {
  const { companyId, timeZone } = getViewer(request)
  const { provider, breakGlass, counts } = shown
  const { settings, use } = provider
  const asked = { next: PATH, problem: forms.problemOf('optional') }
  const proof = use.use === 'off' ? await renderProof(services, request, asked) : html``
  const { addresses, missing } = findOperatorSettings(services, companyId)
  const keys = findKeys(services.providers.secrets, provider)
  const overview = html`${renderProviderFacts(provider, breakGlass, timeZone)}
    ${!missing && renderProviderActions(forms, provider)}`
  const users = html`${renderUnlinked(counts)} ${addresses && renderSignInLink(addresses)}`
  return html`<h2>${isolate(settings.name)}</h2>
    ${renderProblemsOf(provider.id, await readProblemsOf(request), timeZone)} ${missing ?? ''}
    ${renderSection({ heading: 'Overview', status: renderUse(provider), isOpen: true }, overview)}
    ${renderSection({ heading: 'Users', status: describeUnlinked(counts) }, users)}
    ${renderSection({ heading: 'Use', status: MEANINGS[use.use], isOpen: true }, renderUseForms(forms, shown, proof))}
    ${renderFormSection(forms, 'edit', {
      heading: 'Settings',
      status: renderCode(settings.issuer),
      version: provider.version,
      values: formatFields(settings),
      fields: listProviderFields(),
      buttons: html`<button class="primary">Save</button>`,
    })}
    ${renderFormSection(forms, 'secret', {
      heading: 'Secret',
      status: AUTHENTICATION[settings.client_auth],
      text: html`<p>A new secret or key pair replaces the present one immediately.</p>`,
      version: provider.version,
      values: formatFields(settings),
      fields: listSecretFields(),
      buttons: html`<button>Replace secret</button>`,
    })}
    ${addresses && renderSection(AT_THE_PROVIDER, renderAddresses(addresses, keys))}
    ${use.use !== 'required' && renderSection(REMOVAL, renderRemoval(forms, provider))}`
}

/** The page must open without the key, too: the secret can be replaced there. */
function findKeys(secrets: SecretBox, provider: StoredProvider) {
  try {
    return readPublicKeys(secrets, provider)
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null
    throw error
  }
}

/** Makes the form that shows what the provider publishes, without signing in. */
function makeProviderCheck(services: PageServices): Form<unknown, never> {
  return {
    path: '/check',
    config: { isHeavyRead: true },
    async run(request) {
      const provider = await requireProvider(services, request)
      const { name } = provider.settings
      return {
        page: {
          title: 'Check of the provider',
          heading: html`Check of ${isolate(name)}`,
          trail: [NAVIGATION.signIn],
          body: html`${await renderCheck(services.providers.client, provider)}
            ${renderActions(renderButton(NAVIGATION.signIn.path, 'Back to Sign-in', 'primary'))}`,
        },
      }
    },
  }
}

async function renderCheck(client: ProviderClient, provider: StoredProvider) {
  try {
    const lines = await client.check(provider)
    return html`<p class="notice" role="status">The provider answers.</p>
      <ul>
        ${lines.map((line) => html`<li>${isolate(line)}</li>`)}
      </ul>`
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof UnreadableSecretError)) throw error
    return renderAlert(isolate(toSentence(error.message)))
  }
}

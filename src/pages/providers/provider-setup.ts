import type { FastifyInstance } from 'fastify'
import { addProvider } from '#accounts/providers/change-provider'
import type { ProviderAddresses } from '#domain/providers/provider-addresses'
import { readFormFields, renderButtons, renderHidden } from '../parts/form.ts'
import { addFormPage, renderForm, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/elements.ts'
import { NAVIGATION, buildUrl } from '#wording/navigation'
import { type PageServices, getActing, getViewer } from '../parts/context.ts'
import { findOperatorSettings, renderAddresses } from './provider-facts.ts'
import { ANY_PROVIDER, PROVIDER_GUIDES } from './provider-guides.ts'
import { listProviderFields, listSecretFields, PROVIDER_FIELDS, readSetupForm } from './provider-form.ts'

const { path: PATH } = NAVIGATION.signIn

/** `/settings/sign-in/new`: the form that sets up the company's identity provider. */
export function addProviderSetup(app: FastifyInstance, services: PageServices): void {
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

function renderSetup(forms: PageForms<'setUp'>, addresses: ProviderAddresses, provider = ''): Html {
  const chosen = Object.hasOwn(PROVIDER_GUIDES, provider) ? provider : ''
  const guide = PROVIDER_GUIDES[chosen] ?? ANY_PROVIDER
  return html`${renderChoiceOfGuide(chosen)}
    <h2>2. Register this service at ${chosen === '' ? 'the provider' : guide.label}</h2>
    <ol>
      ${guide.steps.map((step) => html`<li>${renderStep(step)}</li>`)}
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

function renderChoiceOfGuide(chosen: string): Html {
  const choices = [...Object.entries(PROVIDER_GUIDES), ['', ANY_PROVIDER] as const]
  return html`<h2>1. Choose the provider</h2>
    <nav class="tools" aria-label="Provider">
      ${choices.map(([provider, { label }]) => {
        const current = provider === chosen ? html`aria-current="true"` : ''
        return html`<a class="button" href="${buildUrl(`${PATH}/new`, { provider })}" ${current}>${label}</a>`
      })}
    </nav>`
}

/** Renders text between backticks in bold. */
function renderStep(step: string): Html[] {
  return step.split('`').map((part, at) => (at % 2 === 1 ? html`<strong>${part}</strong>` : html`${part}`))
}

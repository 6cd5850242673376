import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { addProvider } from '../../../accounts/providers/change-provider.ts'
import type { Problem } from '../../../domain/errors.ts'
import { readFormFields, renderFormAlert, toFormProblem, type FormProblem } from '../parts/form.ts'
import { renderBreadcrumb, sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { buildUrl } from '../parts/addresses.ts'
import type { Html } from '../parts/page.ts'
import { renderAddresses } from './provider-facts.ts'
import { ANY_PROVIDER, PROVIDER_GUIDES } from './provider-guides.ts'
import { PROVIDER_FIELDS, readSetupForm, renderProviderFields, renderSecretFields } from './provider-form.ts'
import { findOperatorSettings } from './provider-words.ts'

const { path: PATH } = NAVIGATION.signIn

/** `/settings/sign-in/new`: the form that sets up the company's identity provider. */
export function addProviderSetup(app: FastifyInstance, services: PageServices): void {
  const { providers } = services
  app.get(`${PATH}/new`, (request, reply) => sendSetupForm(services, request, reply, null))
  const keptForm = {
    fields: [...PROVIDER_FIELDS, 'client_auth', 'provider'],
    show: (request: FastifyRequest, reply: FastifyReply, problem: Problem) =>
      sendSetupForm(services, request, reply, problem),
  }
  app.post(`${PATH}/new`, { config: { keptForm } }, async (request, reply) => {
    try {
      const { settings, secret } = readSetupForm(readFormFields(request.body), providers.allowsHttp)
      await addProvider(providers, getActing(request), settings, secret)
    } catch (error) {
      return sendSetupForm(services, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${PATH}?done=added`, 303)
  })
}

async function sendSetupForm(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { addresses, missing } = findOperatorSettings(services, viewer.companyId)
  const sent = problem ? readFormFields(request.body) : readFormFields(request.query)
  const chosen = Object.hasOwn(PROVIDER_GUIDES, sent['provider'] ?? '') ? sent['provider']! : ''
  const guide = PROVIDER_GUIDES[chosen] ?? ANY_PROVIDER
  const fields = problem ? sent : guide.fields
  if (problem) void reply.code(problem.status)
  const form = () =>
    html`${renderChoiceOfGuide(chosen)}
      <h2>2. Register this service at ${chosen === '' ? 'the provider' : guide.label}</h2>
      <ol>
        ${guide.steps.map((step) => html`<li>${renderStep(step)}</li>`)}
      </ol>
      ${renderAddresses(addresses!, null)}
      <h2>3. Enter what it shows</h2>
      <p>Nobody can sign in through it until you have tested it and switched it on.</p>
      <form method="post" action="${PATH}/new" class="stack">
        <input type="hidden" name="provider" value="${chosen}" />
        ${renderProviderFields(fields, problem, guide.issuer)} ${renderSecretFields(fields, problem)}
        <div class="actions">
          <button class="primary">Set up</button><a class="button" href="${PATH}">Cancel</a>
        </div>
      </form>`
  return sendUserPage(request, reply, viewer, {
    title: 'Set up identity provider',
    body: html`${renderBreadcrumb(NAVIGATION.signIn)}
      <h1>Set up identity provider</h1>
      ${renderFormAlert(problem)} ${missing ?? form()}`,
  })
}

function renderChoiceOfGuide(chosen: string): Html {
  const choices = [...Object.entries(PROVIDER_GUIDES), ['', ANY_PROVIDER] as const]
  return html`<h2>1. Choose the provider</h2>
    <nav class="choices" aria-label="Provider">
      ${choices.map(([provider, { label }]) => html`<a class="button" href="${buildUrl(`${PATH}/new`, { provider })}" ${provider === chosen ? html`aria-current="true"` : ''}>${label}</a>`)}
    </nav>`
}

/** Renders text between backticks in bold. */
function renderStep(step: string): Html[] {
  return step.split('`').map((part, at) => (at % 2 === 1 ? html`<strong>${part}</strong>` : html`${part}`))
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { addProvider } from '../../../accounts/providers/change-provider.ts'
import type { Problem } from '../../../domain/errors.ts'
import { readFormFields, renderFormAlert, toFormProblem, type FormProblem } from '../parts/form.ts'
import { renderBreadcrumb, sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { renderAddresses } from './provider-facts.ts'
import { PROVIDER_FIELDS, readSetupForm, renderProviderFields, renderSecretFields } from './provider-form.ts'
import { findOperatorSettings } from './provider-words.ts'

const { path: PATH } = NAVIGATION.signIn

/** `/settings/sign-in/new`: the form that sets up the company's identity provider. */
export function addProviderSetup(app: FastifyInstance, services: PageServices): void {
  const { providers } = services
  app.get(`${PATH}/new`, (request, reply) => sendSetupForm(services, request, reply, null))
  const keptForm = {
    fields: [...PROVIDER_FIELDS, 'client_auth'],
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
  const fields = problem ? readFormFields(request.body) : {}
  if (problem) void reply.code(problem.status)
  const form = () =>
    html`${renderAddresses(addresses!, null)}
      <h2>Here</h2>
      <p>Enter what the provider shows after that. Nobody can sign in through it until you switch it on.</p>
      <form method="post" action="${PATH}/new" class="stack">
        ${renderProviderFields(fields, problem)} ${renderSecretFields(fields, problem)}
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

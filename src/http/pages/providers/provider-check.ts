import type { FastifyInstance } from 'fastify'
import { html } from 'hono/html'
import type { StoredProvider } from '../../../accounts/providers/read-provider.ts'
import type { ProviderClient } from '../../../accounts/oidc/provider-client.ts'
import { ProviderError } from '../../../accounts/oidc/provider-client.ts'
import { UnreadableSecretError } from '../../../accounts/secrets/secret-box.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { toSentence } from '../parts/form.ts'
import { renderBreadcrumb, sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getViewer } from '../parts/viewer.ts'
import { requireProvider } from './require-provider.ts'

const { path: PATH } = NAVIGATION.signIn

/** `/settings/sign-in/check`: what the provider publishes, without signing in. */
export function addProviderCheck(app: FastifyInstance, services: PageServices): void {
  app.post(`${PATH}/check`, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const provider = await requireProvider(services, request)
    return sendUserPage(request, reply, getViewer(request), {
      title: 'Check of the provider',
      body: html`${renderBreadcrumb(NAVIGATION.signIn)}
        <h1>Check of <bdi>${provider.settings.name}</bdi></h1>
        ${await renderCheck(services.providers.client, provider)}
        <p class="actions"><a class="button primary" href="${PATH}">Back to Sign-in</a></p>`,
    })
  })
}

async function renderCheck(client: ProviderClient, provider: StoredProvider): Promise<Html> {
  try {
    const lines = await client.check(provider)
    return html`<p class="notice" role="status">The provider answers.</p>
      <ul>
        ${lines.map((line) => html`<li><bdi>${line}</bdi></li>`)}
      </ul>`
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof UnreadableSecretError)) throw error
    return html`<p class="alert" role="alert"><bdi>${toSentence(error.message)}</bdi></p>`
  }
}

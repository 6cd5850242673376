import type { StoredProvider } from '../../../accounts/providers/read-provider.ts'
import { ProviderError, type ProviderClient } from '../../../accounts/oidc/provider-client.ts'
import { UnreadableSecretError } from '../../../accounts/secrets/secret-box.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { toSentence } from '../parts/form.ts'
import type { Form } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { requireProvider } from './require-provider.ts'

/** Makes the form that shows what the provider publishes, without signing in. */
export function makeProviderCheck(services: PageServices): Form<unknown, never> {
  return {
    path: '/check',
    config: { isHeavyRead: ALWAYS },
    async run(request) {
      const provider = await requireProvider(services, request)
      const { name } = provider.settings
      return {
        page: {
          title: 'Check of the provider',
          heading: html`Check of <bdi>${name}</bdi>`,
          trail: [NAVIGATION.signIn],
          body: html`${await renderCheck(services.providers.client, provider)}
            <p class="actions"><a class="button primary" href="${NAVIGATION.signIn.path}">Back to Sign-in</a></p>`,
        },
      }
    },
  }
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

import type { FastifyInstance } from 'fastify'
import { issueRecoveryCodes } from '../../../accounts/passkeys/change-passkeys.ts'
import { readSeenVersion, renderButtons } from '../parts/form.ts'
import { addFormPage, renderForm, type PageContent } from '../parts/form-page.ts'
import { html } from '../parts/html.ts'
import { ACCOUNT, ACCOUNT_PATH } from '../parts/navigation.ts'
import { renderCopyable } from '../parts/once.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { RECOVERY_CODES_PATH } from './account-passkeys.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { requireOwnUser } from './own-user.ts'

/** `/account/recovery-codes`: replaces the user's recovery codes. */
export function addRecoveryCodesPage(app: FastifyInstance, services: PageServices): void {
  addFormPage(app, {
    path: RECOVERY_CODES_PATH,
    load: (request) => requireOwnUser(services, request),
    render: async (user, forms, request) => {
      const asked = { next: RECOVERY_CODES_PATH, problem: forms.problemOf('codes') }
      const proof = await renderProof(services, request, asked)
      return {
        title: 'New recovery codes',
        trail: [ACCOUNT],
        heading: html`Make new recovery codes?`,
        body: html`<p>Your earlier recovery codes stop working immediately.</p>
          ${renderForm(forms, 'codes', {
            version: user.version,
            fields: () => proof,
            buttons: renderButtons('Make new codes', ACCOUNT_PATH),
          })}`,
      }
    },
    forms: {
      codes: {
        async issue(request, fields, reply) {
          await requireProof(services, request, reply)
          const codes = await issueRecoveryCodes(services.company, getActing(request), readSeenVersion(fields))
          return { page: showRecoveryCodes('New recovery codes', codes, getViewer(request).email) }
        },
      },
    },
  })
}

/** Returns the page that shows new recovery codes. */
export function showRecoveryCodes(title: string, codes: string[], email: string): PageContent {
  return {
    title,
    body: html`<p class="warning">Print or copy these recovery codes now. You won't see them again.</p>
      <h2>Recovery codes for ${email}</h2>
      <p>
        Without your passkeys, your password and one of these codes sign you in. Each code works once. Keep them where
        you would keep a key, apart from your password.
      </p>
      ${renderCopyable('codes', codes.join('\n'), 'Copy codes')}
      <p class="actions"><a class="button" href="${ACCOUNT_PATH}">Go to your account</a></p>`,
  }
}

import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { addPasskey } from '#accounts/passkeys/change-passkeys'
import { listPasskeys } from '#accounts/passkeys/passkey-rows'
import type { RelyingParty } from '#accounts/passkeys/relying-party'
import { checkRegistration, makeCreationOptions } from '#accounts/passkeys/webauthn'
import { MAX_PASSKEY_NAME_CHARACTERS } from '#domain/accounts/passkeys'
import { createSealedCookie, type SealedCookie } from '#http/access/sealed-cookie'
import { assetUrl } from '../assets/assets.ts'
import { checkForm, readSeenVersion, renderButtons } from '../parts/form.ts'
import { addFormPage, renderForm, type Form, type PageContent } from '../parts/form-page.ts'
import { html } from '../parts/html.ts'
import { ACCOUNT, ACCOUNT_PATH } from '#wording/navigation'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer, requireOwnUser } from '../parts/viewer.ts'
import { findSupport } from '../sign-in/passkey-form.ts'
import { PASSKEYS_PATH, showRecoveryCodes } from './account-passkeys.ts'
import { findBrowserName } from './browser-name.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { refuseField } from '#http/server/problem'
import { trimBlanks } from '#text/normalize-text'

const NEW_PATH = `${PASSKEYS_PATH}/new`
const LIFE_SECONDS = 5 * 60
const NameBody = Type.Object({ name: Type.String({ minLength: 1, maxLength: MAX_PASSKEY_NAME_CHARACTERS }) })

/** A passkey that the browser was asked to make. */
interface PendingPasskey {
  userId: string
  /** The version of the user who was asked: nothing may have changed since the password was given. */
  version: number
  name: string
  challenge: string
}

/** Creates the cookie of the passkeys that browsers are making. */
function createPendingPasskeys(services: PageServices): SealedCookie<PendingPasskey> {
  return createSealedCookie(services, 'new-passkey', LIFE_SECONDS)
}

/** `/account/passkeys/new`: the first step to add a passkey, which takes its name and the password. */
export function addPasskeyAddition(app: FastifyInstance, services: PageServices): void {
  const pendingPasskeys = createPendingPasskeys(services)
  addFormPage(app, {
    path: NEW_PATH,
    load: (request) => requireOwnUser(services, request),
    render: async (user, forms, request) => {
      const { party, reason } = findSupport(services)
      const suggested = findBrowserName(request.headers['user-agent'] ?? '') ?? ''
      const proof = await renderProof(services, request, { next: NEW_PATH, problem: forms.problemOf('name') })
      const form = renderForm(forms, 'name', {
        version: user.version,
        values: { name: suggested },
        fields: [
          {
            name: 'name',
            label: 'Passkey name',
            maxLength: MAX_PASSKEY_NAME_CHARACTERS,
            autocomplete: 'off',
            hint: 'Helps you to tell your passkeys apart.',
          },
          proof,
        ],
        buttons: renderButtons('Continue', ACCOUNT_PATH),
      })
      return {
        title: 'Add a passkey',
        trail: [ACCOUNT],
        body: party === null ? html`<p class="warning">Passkeys are unavailable. ${reason}</p>` : form,
      }
    },
    forms: {
      name: {
        keeps: ['name'],
        async run(request, fields, reply) {
          const party = requireParty(services)
          const { name } = checkForm(NameBody, { name: trimBlanks(fields['name'] ?? '') })
          await requireProof(services, reply)
          const viewer = getViewer(request)
          const held = await listPasskeys(services.company.pool, viewer)
          const options = await makeCreationOptions(party, { ...viewer, held })
          const { userId } = viewer
          const { challenge } = options
          pendingPasskeys.set(reply, { userId, version: readSeenVersion(fields), name, challenge })
          return { page: showRequest(name, options) }
        },
      },
    },
  })
}

/** Returns the page on which the browser makes the passkey. */
function showRequest(name: string, options: object): PageContent {
  return {
    title: 'Add a passkey',
    heading: html`Add the passkey “<bdi>${name}</bdi>”`,
    body: html`<p>Your browser asks where to keep the passkey, and checks that it is you. You have five minutes.</p>
      <noscript><p class="warning">Passkeys need JavaScript. <a href="${ACCOUNT_PATH}">Go back</a></p></noscript>
      <p class="alert" role="alert" data-passkey-fault hidden></p>
      <form
        method="post"
        action="${PASSKEYS_PATH}"
        class="actions"
        hidden
        data-passkey="create"
        data-options="${JSON.stringify(options)}"
      >
        <input type="hidden" name="response" />
        <button class="primary">Create passkey</button>
        <a class="button" href="${ACCOUNT_PATH}">Cancel</a>
      </form>
      <script src="${assetUrl('passkeys.js')}" type="module"></script>`,
  }
}

/** Makes the form of the account page with what the browser made: the second step to add a passkey. */
export function makePasskeyForm(services: PageServices): Form<unknown, 'passkey'> {
  const pendingPasskeys = createPendingPasskeys(services)
  return {
    path: '/passkeys',
    async issue(request, { response = '' }, reply) {
      const party = requireParty(services)
      const { userId, email } = getViewer(request)
      const pending = pendingPasskeys.read(request)
      if (pending?.userId !== userId) throw refuseField('', 'That took too long. Nothing was added. Try again')
      const credential = await checkRegistration(party, pending.challenge, response)
      if (!credential) throw refuseField('', 'The browser did not make a valid passkey. Nothing was added. Try again')
      const { name, version: seen } = pending
      const codes = await addPasskey(services.company, getActing(request), { name, credential, seen })
      pendingPasskeys.clear(reply)
      return codes === null ? { done: 'passkey' } : { page: showRecoveryCodes('Passkey added', codes, email) }
    },
  }
}

function requireParty(services: PageServices): RelyingParty {
  const { party, reason } = findSupport(services)
  if (party === null) throw refuseField('', `Passkeys are unavailable. ${reason}`)
  return party
}

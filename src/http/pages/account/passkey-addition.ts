import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { addPasskey } from '../../../accounts/passkeys/change-passkeys.ts'
import { listPasskeys } from '../../../accounts/passkeys/passkey-rows.ts'
import type { RelyingParty } from '../../../accounts/passkeys/relying-party.ts'
import { checkRegistration, makeCreationOptions } from '../../../accounts/passkeys/webauthn.ts'
import { MAX_PASSKEY_NAME_CHARACTERS } from '../../../domain/accounts/passkeys.ts'
import type { Problem } from '../../../domain/errors.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { createSealedCookie, type SealedCookie } from '../../access/sealed-cookie.ts'
import { ASSETS } from '../assets/assets.ts'
import {
  checkForm,
  type FormProblem,
  readFormFields,
  readSeenVersion,
  renderField,
  renderFormAlert,
  renderSeenVersion,
  toFormProblem,
} from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { findSupport } from '../sign-in/passkey-form.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'
import { PASSKEYS_PATH } from './account-passkeys.ts'
import { findBrowserName } from './browser-name.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { requireOwnUser } from './own-user.ts'
import { sendRecoveryCodes } from './recovery-codes-page.ts'
import { ProblemError } from '../../server/problem.ts'

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

const refuse = (message: string) => new ProblemError(invalidFields([fieldError('', 'invalid_value', message)]))

/** `/account/passkeys/new`: adds a passkey, in two steps: the name and the password, and what the browser makes. */
export function addPasskeyAddition(app: FastifyInstance, services: PageServices, limits: SignInLimits): void {
  const { secrets } = services.providers
  const options = { secrets, settings: services.sessions, lifeSeconds: LIFE_SECONDS }
  const challenge = createSealedCookie<PendingPasskey>({ name: 'new-passkey', ...options })
  const showForm = (request: FastifyRequest, reply: FastifyReply, problem: FormProblem) =>
    sendNameForm(services, request, reply, problem)
  const keptForm = {
    fields: ['name'],
    show: (request: FastifyRequest, reply: FastifyReply, problem: Problem) => showForm(request, reply, problem),
  }
  app.get(`${PASSKEYS_PATH}/new`, (request, reply) => showForm(request, reply, null))
  app.post(`${PASSKEYS_PATH}/new`, { config: { keptForm } }, async (request, reply) => {
    try {
      const party = requireParty(services)
      const fields = readFormFields(request.body)
      const { name } = checkForm(NameBody, { name: (fields['name'] ?? '').trim() })
      await requireProof(services, limits, request, reply)
      return await sendRequest(services, challenge, { request, reply, party, name, version: readSeenVersion(fields) })
    } catch (error) {
      return showForm(request, reply, toFormProblem(error))
    }
  })

  app.post(PASSKEYS_PATH, async (request, reply) => {
    try {
      const party = requireParty(services)
      const { userId } = getViewer(request)
      const pending = challenge.read(request)
      if (pending?.userId !== userId) throw refuse('That took too long. Nothing was added. Try again')
      const { response = '' } = readFormFields(request.body)
      const credential = await checkRegistration(party, pending.challenge, response)
      if (!credential) throw refuse('The browser did not make a valid passkey. Nothing was added. Try again')
      const { name, version: seen } = pending
      const codes = await addPasskey(services.company, getActing(request), { name, credential, seen })
      challenge.clear(reply)
      if (codes !== null) return await sendRecoveryCodes(request, reply, 'Passkey added', codes)
    } catch (error) {
      return showForm(request, reply, toFormProblem(error))
    }
    return reply.redirect(`${ACCOUNT_PATH}?done=passkey`, 303)
  })
}

function requireParty(services: PageServices): RelyingParty {
  const { party, reason } = findSupport(services)
  if (party === null) throw refuse(`Passkeys are unavailable. ${reason}`)
  return party
}

async function sendNameForm(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const user = await requireOwnUser(services, request)
  const { party, reason } = findSupport(services)
  const suggested = findBrowserName(request.headers['user-agent'] ?? '') ?? ''
  const { name = suggested } = problem ? readFormFields(request.body) : {}
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: 'Add a passkey',
    body: html`<h1>Add a passkey</h1>
      ${renderFormAlert(problem)}
      ${
        party === null
          ? html`<p class="warning">Passkeys are unavailable. ${reason}</p>`
          : html`<form method="post" action="${PASSKEYS_PATH}/new" class="stack">
              ${renderSeenVersion(user.version)}
              ${renderField({ name: 'name', label: 'Passkey name', value: name, maxLength: MAX_PASSKEY_NAME_CHARACTERS, autocomplete: 'off', hint: 'Helps you to tell your passkeys apart.' }, problem)}
              ${await renderProof(services, request, { next: `${PASSKEYS_PATH}/new`, problem })}
              <div class="actions">
                <button class="primary">Continue</button><a class="button" href="${ACCOUNT_PATH}">Cancel</a>
              </div>
            </form>`
      }`,
  })
}

/** Sends the page on which the browser makes the passkey. */
async function sendRequest(
  { company }: PageServices,
  challenge: SealedCookie<PendingPasskey>,
  { request, reply, party, name, version }: PasskeyRequest,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const held = await listPasskeys(company.pool, viewer)
  const options = await makeCreationOptions(party, { ...viewer, held })
  challenge.set(reply, { userId: viewer.userId, version, name, challenge: options.challenge })
  return sendUserPage(request, reply, viewer, {
    title: 'Add a passkey',
    body: html`<h1>Add the passkey “<bdi>${name}</bdi>”</h1>
      <p>Your browser asks where to keep the passkey, and checks that it is you. You have five minutes.</p>
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
      <script src="${ASSETS.passkeys.path}" type="module"></script>`,
  })
}

interface PasskeyRequest {
  request: FastifyRequest
  reply: FastifyReply
  party: RelyingParty
  name: string
  version: number
}

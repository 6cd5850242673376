import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from '@sinclair/typebox'
import {
  countRecoveryCodes,
  listPasskeys,
  type Passkey,
  mustUseProvider,
  issueRecoveryCodes,
  removePasskey,
  addPasskey,
} from '#accounts/passkeys/passkeys'
import type { UserRecord } from '#accounts/users/users'
import { MAX_PASSKEYS, MAX_PASSKEY_NAME_CHARACTERS } from '#domain/accounts/user-lifecycle'
import { problem } from '#domain/errors'
import { sessionCookie } from '#http/access/session'
import { ProblemError, refuseField } from '#http/server/problem'
import { ACCOUNT, ACCOUNT_PATH } from '#wording/navigation'
import { checkRegistration, makeCreationOptions } from '#accounts/passkeys/webauthn'
import { createSealedCookie, type SealedCookie } from '#http/access/sealed-cookie'
import { trimBlanks } from '#text/normalize-text'
import { readSeenVersion, renderButtons, checkForm } from '#pages/parts/form'
import { addFormPage, renderForm, type PageContent, type PageRequest, type Form } from '#pages/parts/form-page'
import {
  isolate,
  html,
  renderCopyable,
  renderTable,
  renderTime,
  renderTimeOrNever,
  renderQuestionLink,
  renderActions,
  renderButton,
  renderEmpty,
  renderHint,
  renderWarning,
} from '#pages/parts/elements'
import { type PageServices, getActing, getViewer, requireOwnUser } from '#pages/parts/context'
import { addQuestionPage, renderProof, requireProof } from '#pages/parts/question-page'
import { findSupport } from '#pages/sign-in/sign-in-form'
import { assetUrl } from '#pages/assets/assets'
import { findBrowserName } from './browser-name.ts'

const PASSKEYS_PATH = `${ACCOUNT_PATH}/passkeys`
const RECOVERY_CODES_PATH = `${ACCOUNT_PATH}/recovery-codes`

const PROVIDER_REQUIRED = renderWarning("Your company requires its identity provider, so passkeys don't sign you in.")
const LAST_PASSKEY = renderWarning(
  'This is your last passkey: your password alone signs you in again, and your recovery codes are deleted.',
)

/** Renders the user's own passkeys and recovery codes, with the ways to change them. */
export async function renderPasskeys(services: PageServices, request: FastifyRequest, user: UserRecord) {
  const { pool } = services.company
  const viewer = getViewer(request)
  const { party, reason } = findSupport(services)
  const passkeys = await listPasskeys(pool, viewer)
  const isFull = passkeys.length >= MAX_PASSKEYS
  const isProviderRequired = await mustUseProvider(pool, viewer)
  const none = renderEmpty('You have no passkeys. Add one to sign in without a password.')
  const add = renderActions(renderButton(`${PASSKEYS_PATH}/new`, 'Add a passkey…'))
  return html`<h2 id="passkeys">Passkeys</h2>
    <p>
      A passkey signs you in with your fingerprint, your face, a PIN, or a security key. Once you have one, your
      password alone no longer signs you in.
    </p>
    ${party === null && renderWarning(`Passkeys are unavailable. ${reason}`)}
    ${isProviderRequired && PROVIDER_REQUIRED}
    ${passkeys.length === 0 ? none : renderPasskeyTable(passkeys, viewer.timeZone)}
    ${!(party === null || isFull || isProviderRequired) && add}
    ${isFull && renderHint(`You have ${MAX_PASSKEYS} passkeys, the most allowed.`)}
    ${passkeys.length > 0 && user.hasPassword && renderCodes(await countRecoveryCodes(pool, viewer))}`
}

function renderCodes(left: number) {
  return html`<h3>Recovery codes</h3>
    <p>
      Without your passkeys, your password and a recovery code sign you in. Each code works once.
      ${left === 0 ? html`<strong>You have none left.</strong>` : html`You have <strong>${left}</strong> left.`}
    </p>
    ${renderActions(renderButton(RECOVERY_CODES_PATH, 'Make new recovery codes…'))}`
}

function renderPasskeyTable(passkeys: Passkey[], timeZone: string) {
  return renderTable({
    caption: 'Your passkeys',
    columns: {
      Name: ({ name }) => isolate(name),
      Created: ({ createdAt }) => renderTime(createdAt, timeZone),
      'Last used': ({ lastUsed }) => renderTimeOrNever(lastUsed, timeZone),
      Actions: {
        isHeadingHidden: true,
        cell: ({ id, name }) => renderQuestionLink(`${PASSKEYS_PATH}/${id}/remove`, 'Remove', name),
      },
    },
    rows: passkeys,
  })
}

type PasskeyRequest = PageRequest<{ id: string }>

/** `/account/passkeys/{id}/remove`: removes one of the user's own passkeys. */
export function addPasskeyRemoval(app: FastifyInstance, services: PageServices) {
  const { company, sessions } = services
  addQuestionPage(app, {
    path: `${PASSKEYS_PATH}/:id/remove`,
    load: async (request: PasskeyRequest) => ({
      user: await requireOwnUser(services, request),
      ...(await findOwnPasskey(services, request)),
    }),
    ask: ({ user, passkey, isLast }) => ({
      title: `Remove ${passkey.name}`,
      heading: html`Remove “${isolate(passkey.name)}”?`,
      trail: [ACCOUNT],
      text: html`<p>
          This passkey no longer signs you in. Your sessions that began with a passkey end, except this one. Delete the
          passkey on your device as well, so that it is not offered again.
        </p>
        ${isLast && user.hasPassword && LAST_PASSKEY}`,
      version: user.version,
      button: 'Remove passkey',
      back: ACCOUNT_PATH,
    }),
    async run(request, { passkey }, seen) {
      const keptCookie = sessionCookie(request, sessions)
      await removePasskey(company, getActing(request), { passkeyId: passkey.id, seen, keptCookie })
      return `${ACCOUNT_PATH}?done=passkey-removed`
    },
    proof: services,
  })
}

const NO_SUCH_PASSKEY = problem('route_not_found', 'You have no such passkey')

/** Finds the passkey in the path. Throws a problem if it is not one of the user's own. */
async function findOwnPasskey({ company }: PageServices, request: PasskeyRequest) {
  const passkeys = await listPasskeys(company.pool, getViewer(request))
  const passkey: Passkey | undefined = passkeys.find(({ id }) => id === request.params.id)
  if (!passkey) throw new ProblemError(NO_SUCH_PASSKEY)
  return { passkey, isLast: passkeys.length === 1 }
}

/** `/account/recovery-codes`: replaces the user's recovery codes. */
export function addRecoveryCodesPage(app: FastifyInstance, services: PageServices) {
  addQuestionPage(app, {
    path: RECOVERY_CODES_PATH,
    load: (request) => requireOwnUser(services, request),
    ask: ({ version }) => ({
      title: 'New recovery codes',
      trail: [ACCOUNT],
      heading: html`Make new recovery codes?`,
      text: html`<p>Your earlier recovery codes stop working immediately.</p>`,
      version,
      button: 'Make new codes',
      back: ACCOUNT_PATH,
      kind: 'primary',
    }),
    async issue(request, _, seen) {
      const codes = await issueRecoveryCodes(services.company, getActing(request), seen)
      return showRecoveryCodes('New recovery codes', codes, getViewer(request).email)
    },
    proof: services,
  })
}

/** Returns the page that shows new recovery codes. */
function showRecoveryCodes(title: string, codes: string[], email: string): PageContent {
  return {
    title,
    body: html`${renderWarning("Print or copy these recovery codes now. You won't see them again.")}
      <h2>Recovery codes for ${email}</h2>
      <p>
        Without your passkeys, your password and one of these codes sign you in. Each code works once. Keep them where
        you would keep a key, apart from your password.
      </p>
      ${renderCopyable('codes', codes.join('\n'), 'Copy codes')}
      ${renderActions(renderButton(ACCOUNT_PATH, 'Go to your account'))}`,
  }
}

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
export function addPasskeyAddition(app: FastifyInstance, services: PageServices) {
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
            hint: 'Helps you to tell your passkeys apart.',
          },
          proof,
        ],
        buttons: renderButtons('Continue', ACCOUNT_PATH),
      })
      return {
        title: 'Add a passkey',
        trail: [ACCOUNT],
        body: party === null ? renderWarning(`Passkeys are unavailable. ${reason}`) : form,
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
    heading: html`Add the passkey “${isolate(name)}”`,
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
        ${renderButton(ACCOUNT_PATH, 'Cancel')}
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

function requireParty(services: PageServices) {
  const { party, reason } = findSupport(services)
  if (party === null) throw refuseField('', `Passkeys are unavailable. ${reason}`)
  return party
}

// Lets the browser make a passkey, or sign in with one. Each form sends what the browser answers:
// `<form data-passkey="create" data-options="{…}">` and `<form data-passkey="use">`, with an input named "response".

/** Before a challenge is too old, which is after five minutes. */
const RENEW_MS = 4 * 60_000

const key = window.PublicKeyCredential
const isSupported = Boolean(
  key?.parseCreationOptionsFromJSON && key.parseRequestOptionsFromJSON && key.prototype.toJSON,
)

const FAULTS = {
  NotAllowedError: 'The browser was not allowed to do this, or it took too long. Try again.',
  InvalidStateError: 'This device or security key holds a passkey of yours already.',
  SecurityError: 'The browser refuses passkeys at this address.',
}
const UNSUPPORTED = 'This browser is too old for passkeys. Update it, or use another one.'

function showFault(text) {
  const alert = document.querySelector('[data-passkey-fault]')
  alert.hidden = text === ''
  alert.textContent = text
}

/** Set once this browser has used a passkey: then the passkey comes first. */
const USED = 'passkey-used'

/** The question that waits until its user chooses a passkey for the email field. */
let waiting = null

async function ask(form, more) {
  if (form.dataset.passkey === 'create') {
    const publicKey = key.parseCreationOptionsFromJSON(JSON.parse(form.dataset.options))
    return navigator.credentials.create({ publicKey, ...more })
  }
  const answer = await fetch('/sign-in/passkey/options', { method: 'POST' })
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
  return navigator.credentials.get({ publicKey: key.parseRequestOptionsFromJSON(await answer.json()), ...more })
}

async function send(form, more = {}) {
  const credential = await ask(form, more)
  form.elements.response.value = JSON.stringify(credential)
  localStorage.setItem(USED, 'yes')
  form.submit()
}

async function sendAfterClick(form) {
  waiting?.abort()
  waiting = null
  showFault('')
  try {
    await send(form)
  } catch (error) {
    showFault(FAULTS[error.name] ?? `Something went wrong: ${error.message}.`)
  }
}

/** Offers passkeys among what the browser fills into the email field. */
async function offerInField(form) {
  const isRefused = location.pathname === new URL(form.action).pathname
  if (isRefused || !(await key.isConditionalMediationAvailable?.())) return
  const conditional = (waiting = new AbortController())
  setTimeout(() => {
    if (waiting !== conditional) return
    conditional.abort()
    void offerInField(form)
  }, RENEW_MS)
  await send(form, { mediation: 'conditional', signal: conditional.signal }).catch(() => undefined)
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (isSupported) {
    form.hidden = false
    const others = form.parentElement.querySelector('form:not([data-passkey])')
    if (form.dataset.passkey === 'use' && localStorage.getItem(USED)) {
      others?.before(form)
      form.querySelector('button').classList.add('primary')
      others?.querySelector('.primary')?.classList.remove('primary')
    }
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void sendAfterClick(form)
    })
    if (document.querySelector('input[autocomplete~="webauthn"]')) void offerInField(form)
  } else if (form.dataset.passkey === 'create') showFault(UNSUPPORTED)
}

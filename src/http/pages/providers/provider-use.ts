import { html } from 'hono/html'
import type { StoredProvider } from '../../../accounts/providers/read-provider.ts'
import type { Administrator, Unlinked } from '../../../accounts/providers/list-break-glass.ts'
import { renderConfirmedAction } from '../parts/confirm.ts'
import { renderChoice, type FormFields, type FormProblem } from '../parts/form.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { describeUnlinked } from './provider-sections.ts'

const { path: PATH } = NAVIGATION.signIn

export interface UseForms {
  provider: StoredProvider
  /** Who can be the break-glass administrator. */
  administrators: Administrator[]
  /** How many users the company has, and how many of them have never signed in through the provider. */
  counts: Unlinked
  /** The version that the form to require the provider shows. */
  seen: Html
  /** What was sent, if that form was refused. */
  fields: FormFields
  problem: FormProblem
  /** What proves who turns on a provider that is off: whoever controls it can sign in as any user. */
  proof: Html
  /** Whether the form that turns it on was refused. */
  isTurningOn: boolean
}

/** Renders the actions that change the use of a provider. */
export function renderUseForms(forms: UseForms): Html {
  const { provider, administrators, counts, seen, fields, problem } = forms
  const { use } = provider
  const { break_glass: chosen = use.break_glass ?? '' } = fields
  const options = [
    ...(use.break_glass === null ? [{ value: '', label: 'Choose an administrator' }] : []),
    ...administrators.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` })),
  ]
  return html`<div class="actions">
      ${use.use === 'optional' ? '' : renderUseChange(provider, 'optional', { fields: forms.proof, isOpen: forms.isTurningOn })}
      ${use.use === 'off' ? '' : renderUseChange(provider, 'off')}
    </div>
    ${use.use === 'off' ? html`<p>To require it, make it optional first, and sign in through it.</p>` : renderRequirement()}`

  function renderRequirement(): Html {
    return html`<h3>${use.use === 'required' ? 'Break-glass administrator' : 'Require'}</h3>
      <p>
        ${use.use === 'required' ? '' : 'Everybody must sign in through the provider: passwords and passkeys stop, and sessions that began with them end. '}One
        administrator keeps a password for the day on which the provider does not work. That person cannot be removed, and
        keeps the role and the password, while the provider is required.
      </p>
      ${use.use === 'required' ? form('Change', '') : renderQuestion(form('Require provider', 'danger'), counts, problem)}`
  }

  function form(label: string, style: string): Html {
    return html`<form method="post" action="${PATH}/use/required" class="stack">
      ${seen}
      ${renderChoice({ name: 'break_glass', label: 'Break-glass administrator', value: chosen, options }, problem)}
      <button class="${style}">${label}</button>
    </form>`
  }
}

/** Asks before everybody's other ways to sign in end. */
function renderQuestion(form: Html, counts: Unlinked, problem: FormProblem): Html {
  return html`<details class="confirm" ${problem ? html`open` : ''}>
    <summary class="button">Require provider…</summary>
    <div class="question">
      <p><strong>${describeUnlinked(counts)}</strong></p>
      ${form}
    </div>
  </details>`
}

const CHANGES = {
  optional: {
    label: 'Make optional',
    text: 'Users can sign in through the provider, and with a password or passkey if they have one.',
  },
  off: {
    label: 'Turn off',
    text: 'Nobody can sign in through the provider, and sessions that began there end. Users need a password or passkey.',
  },
}

function renderUseChange(
  { version }: StoredProvider,
  use: keyof typeof CHANGES,
  question: { fields?: Html; isOpen?: boolean } = {},
): Html {
  const field = { name: 'seen', value: String(version) }
  return renderConfirmedAction({ ...CHANGES[use], ...question, action: `${PATH}/use/${use}`, field })
}

/** Renders the action that removes a provider; a required one has none. */
export function renderRemoval({ use, version }: StoredProvider): Html {
  if (use.use === 'required') return html``
  const text = 'Its settings and its secret are deleted, and sessions that began there end. Past changes stay recorded.'
  const field = { name: 'seen', value: String(version) }
  return html`${renderConfirmedAction({ label: 'Remove', text, action: `${PATH}/remove`, field })}`
}

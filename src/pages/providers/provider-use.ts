import type { StoredProvider, Administrator, Unlinked } from '#accounts/providers/read-provider'
import { renderConfirmedAction } from '../parts/confirm.ts'
import { renderChoice } from '../parts/form.ts'
import { renderForm, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'

interface UseChoices {
  provider: StoredProvider
  /** Who can be the break-glass administrator. */
  administrators: Administrator[]
  /** How many users the company has, and how many of them have never signed in through the provider. */
  counts: Unlinked
}

type UseForms = PageForms<'off' | 'optional' | 'require' | 'remove'>

/**
 * Renders the actions that change the use of a provider. `proof` proves who turns on one that is off: whoever controls
 * it can sign in as any user.
 */
export function renderUseForms(forms: UseForms, choices: UseChoices, proof: Html): Html {
  const { provider } = choices
  const { use } = provider.use
  const howToRequire = html`<p>To require it, make it optional first, and sign in through it.</p>`
  return html`<div class="actions">
      ${use === 'optional' ? '' : renderUseChange(forms, provider, 'optional', proof)}
      ${use === 'off' ? '' : renderUseChange(forms, provider, 'off')}
    </div>
    ${use === 'off' ? howToRequire : renderRequirement(forms, choices)}`
}

function renderRequirement(forms: UseForms, choices: UseChoices): Html {
  const isRequired = choices.provider.use.use === 'required'
  return html`<h3>${isRequired ? 'Break-glass administrator' : 'Require'}</h3>
    <p>
      ${isRequired ? '' : 'Everybody must sign in through the provider: passwords and passkeys stop, and sessions that began with them end. '}One
      administrator keeps a password for the day on which the provider does not work. That person cannot be removed, and
      keeps the role and the password, while the provider is required.
    </p>
    ${isRequired ? renderRequire(forms, choices, 'Change', '') : renderQuestion(renderRequire(forms, choices, 'Require provider', 'danger'), choices.counts, forms.problemOf('require') !== null)}`
}

function renderRequire(
  forms: UseForms,
  { provider: { use, version }, administrators }: UseChoices,
  label: string,
  style: string,
): Html {
  const options = [
    ...(use.break_glass === null ? [{ value: '', label: 'Choose an administrator' }] : []),
    ...administrators.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` })),
  ]
  return renderForm(forms, 'require', {
    version,
    values: { break_glass: use.break_glass ?? '' },
    fields: ({ break_glass: value = '' }, problem) =>
      renderChoice({ name: 'break_glass', label: 'Break-glass administrator', value, options }, problem),
    buttons: html`<button class="${style}">${label}</button>`,
  })
}

/** Asks before everybody's other ways to sign in end. */
function renderQuestion(form: Html, counts: Unlinked, isOpen: boolean): Html {
  return html`<details class="confirm" ${isOpen ? html`open` : ''}>
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
    text:
      'Nobody can sign in through the provider, and sessions that began there end. Users need a password or ' +
      'passkey.',
  },
}

function renderUseChange(forms: UseForms, provider: StoredProvider, use: keyof typeof CHANGES, fields = html``): Html {
  const field = { name: 'seen', value: String(provider.version) }
  const isOpen = forms.problemOf(use) !== null
  return renderConfirmedAction({ ...CHANGES[use], action: forms.actionOf(use), field, fields, isOpen })
}

/** Renders the action that removes a provider. */
export function renderRemoval(forms: UseForms, { version }: StoredProvider): Html {
  const text = 'Its settings and its secret are deleted, and sessions that began there end. Past changes stay recorded.'
  const field = { name: 'seen', value: String(version) }
  return renderConfirmedAction({ label: 'Remove', text, action: forms.actionOf('remove'), field })
}

/** Says how many users have no account at the provider yet. */
export function describeUnlinked({ users, unlinked }: Unlinked): string {
  return unlinked === 0
    ? 'All users have signed in through the provider.'
    : `${formatNumber(unlinked)} of ${formatNumber(users)} users have never signed in through the provider.`
}

/** Renders who has no account at the provider yet. */
export function renderUnlinked(counts: Unlinked): Html {
  const { first, unlinked } = counts
  if (unlinked === 0) return html`<p>Nobody is missing. You can require the provider.</p>`
  const others = unlinked - first.length
  const people = first.map(
    ({ id, name, email }) =>
      html`<li>
        <a href="${NAVIGATION.users.path}/${id}"><bdi>${name}</bdi></a> <span class="hint"><bdi>${email}</bdi></span>
      </li>`,
  )
  return html`<p>They keep their password or passkey until you require the provider. Then they need the sign-in link.</p>
    <ul>
      ${people}
      ${others > 0 ? html`<li>${formatNumber(others)} more</li>` : ''}
    </ul>`
}

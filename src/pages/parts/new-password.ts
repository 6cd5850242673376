import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '#domain/accounts/user-lifecycle'
import { refuseField } from '#http/server/problem'
import type { FormControl, FormFields } from './form.ts'

const FRESH = { type: 'password', autocomplete: 'new-password', maxLength: MAX_PASSWORD_CHARACTERS } as const

/** The fields of a new password. */
export const NEW_PASSWORD = [
  {
    ...FRESH,
    name: 'password',
    label: 'New password',
    hint: `At least ${MIN_PASSWORD_CHARACTERS} characters; you can paste from a password manager.`,
  },
  { ...FRESH, name: 'repeated', label: 'Confirm new password' },
] as const satisfies FormControl[]

/** Throws a problem unless the new password was typed twice. */
export function requireRepeated({ password = '', repeated = '' }: FormFields): void {
  if (password !== repeated) throw refuseField('/repeated', 'The passwords do not match')
}

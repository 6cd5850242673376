import type { FastifySchemaValidationError } from 'fastify'
import type { Static, TSchema } from '@sinclair/typebox'
import { RefusedByStateError } from '../../../accounts/change-company.ts'
import type { Problem } from '../../../domain/errors.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { bodyProblem } from '../../server/violation.ts'
import { ProblemError } from '../../server/problem.ts'
import { compileSchema } from '../../server/schema-compiler.ts'
import { isStorableText } from '../../../domain/storable-text.ts'
import { html, type Html } from './html.ts'

/** The fields of a form as a browser sent them: texts; of repeated names, the last. */
export type FormFields = Readonly<Record<string, string>>

/** Reads the body of a form or a query string; anything else has no fields. */
export function readFormFields(body: unknown): FormFields {
  if (typeof body !== 'object' || body === null) return {}
  const texts = Object.entries(body).map(([name, value]) => [name, String([value].flat().at(-1) ?? '')])
  return Object.fromEntries(texts) as FormFields
}

/**
 * Checks a form's values with the schema of the corresponding endpoint, so that both have the same rules and messages.
 * Throws a problem with an error for each bad field.
 */
export function checkForm<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  const check = compileCheck(schema)
  if (!check(value)) throw new ProblemError(bodyProblem(check.errors ?? [], value))
  assertStorableFields(value as object)
  return value
}

/** Refuses text that PostgreSQL cannot store. The endpoints' body parser refuses it for API calls. */
function assertStorableFields(value: object): void {
  const unstorable = Object.entries(value).filter(([, text]) => typeof text === 'string' && !isStorableText(text))
  if (unstorable.length === 0) return
  const faults = unstorable.map(([name]) =>
    fieldError(`/${name}`, 'invalid_format', `${name} contains a character that is not allowed`),
  )
  throw new ProblemError(invalidFields(faults))
}

type Check = ((value: unknown) => boolean) & { errors?: FastifySchemaValidationError[] | null }

const checks = new WeakMap<TSchema, Check>()

function compileCheck(schema: TSchema): Check {
  let check = checks.get(schema)
  if (!check) {
    check = compileSchema({ schema, method: 'POST', url: '', httpPart: 'body' }) as unknown as Check
    checks.set(schema, check)
  }
  return check
}

/** What is wrong with a form that was sent; null for a new form. */
export type FormProblem = Problem | null

/** Returns the problem with which to show a form again. Rethrows any other error. */
export function toFormProblem(error: unknown): Problem {
  if (error instanceof ProblemError || error instanceof RefusedByStateError) return error.problem
  throw error
}

/** Renders what is wrong with the form as a whole; fields show their own errors. It may take the focus. */
export function renderFormAlert(problem: FormProblem, takesFocus = false): Html {
  if (!problem) return html``
  const atFields = problem.errors.length
  const ofAll =
    problem.errors.find(({ pointer }) => pointer === '')?.message ?? (atFields === 0 ? problem.detail : undefined)
  const text =
    ofAll !== undefined
      ? toSentence(ofAll)
      : `Nothing was changed. Correct the ${atFields === 1 ? 'field' : `${atFields} fields`} marked below.`
  return html`<p class="alert" role="alert" ${takesFocus ? html`tabindex="-1" autofocus` : ''}>${text}</p>`
}

/** Turns a problem's detail into a sentence. */
export function toSentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${detail.endsWith('.') ? '' : '.'}`
}

/** Parses a whole number; returns any other text unchanged, for the schema to refuse. */
export function readWholeNumber(text: string | undefined): number | string {
  return text !== undefined && /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : (text ?? '')
}

/**
 * Reads the text of an input of one line, which showed `current`. Browsers remove line breaks from such an input, so a text
 * that differs only in them has not been edited.
 */
export function keepLineBreaks(text: string, current = ''): string {
  return text === current.replaceAll(/[\r\n]/g, '') ? current : text
}

/** Renders the version of the thing shown. The form sends it back, so that outdated and repeated forms are refused. */
export function renderSeenVersion(version: number): Html {
  return html`<input type="hidden" name="seen" value="${version}" />`
}

/** Reads the version that the form sent back; -1, which matches nothing, when it is missing. */
export function readSeenVersion({ seen }: FormFields): number {
  return seen !== undefined && /^\d{1,9}$/.test(seen) ? Number(seen) : -1
}

interface Field {
  name: string
  /** For a page with several fields of this name. Default: the name. */
  id?: string
  label: string
  value?: string
  type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'datetime-local'
  hint?: string
  autocomplete?: string
  isRequired?: boolean
  isReadOnly?: boolean
  maxLength?: number
  min?: number
  max?: number
  hasFocus?: boolean
  /** The browser neither corrects it nor sends it to a spelling service. */
  isNoWord?: boolean
  /** Renders a text area with so many lines. */
  lines?: number
}

/** Renders a labeled input with its hint and error, which assistive technology reads with it. */
export function renderField(field: Field, problem: FormProblem): Html {
  const {
    name,
    id = name,
    label,
    value = '',
    type = 'text',
    hint,
    autocomplete,
    isRequired = true,
    maxLength,
    min,
    max,
  } = field
  const fault = findError(name, label, problem)
  if (field.lines !== undefined) {
    return html`<div class="field">
      <label for="${id}">${label}</label>
      <textarea id="${id}" name="${name}" rows="${field.lines}" ${renderDescribedBy(id, hint, fault)}>
${value}</textarea
      >
      ${renderHintAndError(id, hint, fault)}
    </div>`
  }
  const input = html`<input
    id="${id}"
    name="${name}"
    type="${type}"
    value="${type === 'password' ? '' : value}"
    ${isRequired ? html`required` : ''}
    ${field.isReadOnly ? html`readonly` : ''}
    ${field.hasFocus ? html`autofocus` : ''}
    ${field.isNoWord ? html`autocapitalize="none" spellcheck="false"` : ''}
    ${autocomplete === undefined ? '' : html`autocomplete="${autocomplete}"`}
    ${maxLength === undefined ? '' : html`maxlength="${maxLength}"`}
    ${min === undefined ? '' : html`min="${min}"`}
    ${max === undefined ? '' : html`max="${max}"`}
    ${renderDescribedBy(id, hint, fault)}
  />`
  return html`<div class="field">
    <label for="${id}">${label}</label>${input}${renderHintAndError(id, hint, fault)}
  </div>`
}

export interface Choice {
  name: string
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  hint?: string
}

/** Renders a labeled list of options. */
export function renderChoice({ name, label, value, options, hint }: Choice, problem: FormProblem): Html {
  const fault = findError(name, label, problem)
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}" ${renderDescribedBy(name, hint, fault)}>
      ${options.map((option) => html`<option value="${option.value}" ${option.value === value ? html`selected` : ''}>${option.label}</option>`)}
    </select>
    ${renderHintAndError(name, hint, fault)}
  </div>`
}

/** Renders the button of a form and, beside it, the way back without sending it. */
export function renderButtons(label: string, cancelPath: string, kind: 'primary' | 'danger' = 'primary'): Html {
  return html`<div class="actions">
    <button class="${kind}">${label}</button><a class="button" href="${cancelPath}">Cancel</a>
  </div>`
}

/** Renders the field in which someone types a text, such as an email, to confirm an irreversible action. */
export function renderTypedConfirmation(expected: string, problem: FormProblem): Html {
  const fault = findError('typed', '', problem)
  return html`<div class="field">
    <label for="typed">Type <bdi>${expected}</bdi> to confirm</label>
    <input
      id="typed"
      name="typed"
      type="text"
      required
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      ${renderDescribedBy('typed', undefined, fault)}
    />
    ${renderHintAndError('typed', undefined, fault)}
  </div>`
}

/** Throws a problem unless the text of `renderTypedConfirmation` was typed; case does not matter. */
export function requireTyped({ typed = '' }: FormFields, expected: string): void {
  const fold = (text: string) => text.trim().normalize('NFKC').toLowerCase()
  if (fold(typed) !== fold(expected))
    throw new ProblemError(
      invalidFields([fieldError('/typed', 'invalid_value', "This doesn't match. Nothing was deleted.")]),
    )
}

/** Lists the options of a filter, the first of which stands for any value. */
export function listOptions(words: Readonly<Record<string, string>>, any = 'Any'): { value: string; label: string }[] {
  return [{ value: '', label: any }, ...Object.entries(words).map(([value, label]) => ({ value, label }))]
}

/**
 * Finds the first error of a field or of an item of its list. The message names the field by its label instead of by the
 * API's name, and an item by its number.
 */
export function findError(name: string, label: string, problem: FormProblem): string | undefined {
  const error = problem?.errors.find(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))
  if (!error) return undefined
  const { pointer, message } = error
  const item = /\/(\d+)$/.exec(pointer)?.[1]
  const named = item === undefined ? label : `${label}: number ${Number(item) + 1}`
  const shown = pointer.slice(1)
  const labeled = message.startsWith(`${shown} `) ? `${named}${message.slice(shown.length)}` : message
  const text = labeled.replace(/ must be an integer$/, ' must be a whole number')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function renderDescribedBy(id: string, hint: string | undefined, fault: string | undefined): Html {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(fault === undefined ? [] : [`${id}-fault`])]
  if (ids.length === 0) return html``
  return html`aria-describedby="${ids.join(' ')}" ${fault === undefined ? '' : html`aria-invalid="true"`}`
}

function renderHintAndError(id: string, hint: string | undefined, fault: string | undefined): Html {
  return html`${hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`}
  ${fault === undefined ? '' : html`<p class="fault" id="${id}-fault">${fault}</p>`}`
}

import type { FastifySchemaValidationError } from 'fastify'
import type { Static, TSchema } from '@sinclair/typebox'
import { RefusedByStateError } from '#accounts/change-company'
import { type Problem, fieldError, invalidFields } from '#domain/errors'
import { readLocal, findEndOf, findStartOf } from '#domain/local-times'
import { bodyProblem } from '#http/server/violation'
import { ProblemError, refuseField } from '#http/server/problem'
import { compileSchema } from '#http/server/compile-schema'
import { isStorableText } from '#domain/storable-text'
import { foldText, trimBlanks } from '#text/normalize-text'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '#domain/accounts/user-lifecycle'
import { html, type Html, isolate, renderButton } from './elements.ts'

/** The fields of a form as a browser sent them: texts; of repeated names, the last. */
export type FormFields = Readonly<Record<string, string>>

/** Reads the body of a form or a query string; anything else has no fields. */
export function readFormFields(body: unknown) {
  if (typeof body !== 'object' || body === null) return {}
  const texts = Object.entries(body).map(([name, value]) => [name, String([value].flat().at(-1) ?? '')])
  return Object.fromEntries(texts) as FormFields
}

/** Picks fields that are not empty, without the blanks around them. */
export function pickFields(fields: FormFields, names: readonly string[]) {
  const texts = names.map((name) => [name, trimBlanks(fields[name] ?? '')])
  return Object.fromEntries(texts.filter(([, text]) => text !== '')) as FormFields
}

/**
 * Checks a form's values with the schema of the corresponding endpoint, so that both have the same rules and messages.
 * Throws a problem with an error for each bad field.
 */
export function checkForm<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  // Ajv keeps what it has compiled, by schema.
  const check = compileSchema({ schema, method: 'POST', url: '', httpPart: 'body' }) as unknown as Check
  if (!check(value)) throw new ProblemError(bodyProblem(check.errors ?? [], value))
  assertStorableFields(value as object)
  return value
}

/** Refuses text that PostgreSQL cannot store. The endpoints' body parser refuses it for API calls. */
function assertStorableFields(value: object) {
  const faults = Object.entries(value)
    .filter(([, text]) => typeof text === 'string' && !isStorableText(text))
    .map(([name]) => fieldError(`/${name}`, 'invalid_format', `${name} contains a character that is not allowed`))
  if (faults.length > 0) throw new ProblemError(invalidFields(faults))
}

type Check = ((value: unknown) => boolean) & { errors?: FastifySchemaValidationError[] | null }

/** What is wrong with a form that was sent; null for a new form. */
export type FormProblem = Problem | null

/** Returns the problem with which to show a form again. Rethrows any other error. */
export function toFormProblem(error: unknown) {
  if (error instanceof ProblemError || error instanceof RefusedByStateError) return error.problem
  throw error
}

/** Renders what is wrong with the form as a whole; fields show their own errors. It may take the focus. */
export function renderFormAlert(problem: FormProblem, takesFocus = false) {
  if (!problem) return html``
  const atFields = problem.errors.length
  const ofAll =
    problem.errors.find(({ pointer }) => pointer === '')?.message ?? (atFields === 0 ? problem.detail : undefined)
  const text =
    ofAll !== undefined
      ? toSentence(ofAll)
      : `Nothing was changed. Correct the ${atFields === 1 ? 'field' : `${atFields} fields`} marked below.`
  return html`<p class="alert" role="alert" ${takesFocus && html`tabindex="-1" autofocus`}>${text}</p>`
}

/** Turns a problem's detail into a sentence. */
export function toSentence(detail: string) {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${detail.endsWith('.') ? '' : '.'}`
}

/** Parses a whole number; returns any other text unchanged, for the schema to refuse. */
export function readWholeNumber(text: string | undefined) {
  return text !== undefined && /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : (text ?? '')
}

/**
 * Reads the text of an input of one line, which showed `current`. Browsers remove line breaks from such an input, so a text
 * that differs only in them has not been edited.
 */
export function keepLineBreaks(text: string, current = '') {
  return text === current.replaceAll(/[\r\n]/g, '') ? current : text
}

/** Renders the version of the thing shown. The form sends it back, so that outdated and repeated forms are refused. */
export function renderSeenVersion(version: number) {
  return renderHidden('seen', version)
}

/** Renders a value that a form sends without showing it. */
export function renderHidden(name: string, value: string | number) {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

/** Reads the version that the form sent back; -1, which matches nothing, when it is missing. */
export function readSeenVersion({ seen }: FormFields) {
  return seen !== undefined && /^\d{1,15}$/.test(seen) ? Number(seen) : -1
}

interface Field {
  name: string
  /** For a page with several fields of this name. Default: the name. */
  id?: string
  label: Html | string
  value?: string
  type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'datetime-local' | 'moment' | 'search'
  hint?: string
  placeholder?: string
  /** What the browser may fill in; nothing, unless it is said. */
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
export function renderField(field: Field, problem: FormProblem) {
  const { name, id = name, value = '', type = 'text', autocomplete = 'off', isRequired = true } = field
  const { placeholder, maxLength, min, max, lines } = field
  return renderLabeled({ ...field, id }, problem, (described) =>
    lines === undefined
      ? html`<input
          id="${id}"
          name="${name}"
          type="${type === 'moment' ? typeOfMoment(value) : type}"
          value="${type !== 'password' && value}"
          ${isRequired && html`required`}
          ${field.isReadOnly && html`readonly`}
          ${field.hasFocus && html`autofocus`}
          ${field.isNoWord && html`autocapitalize="none" spellcheck="false"`}
          ${placeholder !== undefined && html`placeholder="${placeholder}"`}
          autocomplete="${autocomplete}"
          ${maxLength !== undefined && html`maxlength="${maxLength}"`}
          ${min !== undefined && html`min="${min}"`}
          ${max !== undefined && html`max="${max}"`}
          ${described}
        />`
      : html`<textarea id="${id}" name="${name}" rows="${lines}" ${described}>
${value}</textarea
        >`,
  )
}

/** A field or a choice of a form. Unless its value is given, it has that of its name. */
export type FormControl = Field | (Omit<Choice, 'value'> & { value?: string })

/** Renders the parts of a form, given what was typed or what is stored. */
export function renderFields(parts: readonly (FormControl | Html)[], values: FormFields, problem: FormProblem) {
  return html`${parts.map((part) => {
    if (typeof part === 'string' || !('label' in part)) return part
    const value = part.value ?? values[part.name] ?? ''
    return 'options' in part ? renderChoice({ ...part, value }, problem) : renderField({ ...part, value }, problem)
  })}`
}

/** Renders the parts of a form of which any may stay empty, such as filters. */
export function renderOptional(parts: readonly FormControl[], values: FormFields, problem: FormProblem) {
  const optional = parts.map((part) => ({ ...part, isRequired: false }))
  return renderFields(optional, values, problem)
}

/** The type of an input for a day, or for a time of a day; an address may hold anything else, which is kept. */
function typeOfMoment(text: string) {
  const local = text === '' ? { time: undefined } : readLocal(text)
  return !local ? 'text' : local.time === undefined ? 'date' : 'datetime-local'
}

export interface Option {
  value: string
  label: string
}

interface OptionGroup {
  label: string
  options: readonly Option[]
}

export interface Choice {
  name: string
  label: string
  value: string
  options: readonly (Option | OptionGroup)[]
  hint?: string
}

/** Renders a labeled list of options. */
export function renderChoice(choice: Choice, problem: FormProblem) {
  const { name, value, options } = choice
  return renderLabeled({ ...choice, id: name }, problem, (described) => {
    return html`<select id="${name}" name="${name}" ${described}>
      ${options.map((option) => renderOption(option, value))}
    </select>`
  })
}

function renderOption(option: Option | OptionGroup, chosen: string): Html {
  const { label } = option
  if ('options' in option)
    return html`<optgroup label="${label}">${option.options.map((one) => renderOption(one, chosen))}</optgroup>`
  return html`<option value="${option.value}" ${option.value === chosen && html`selected`}>${label}</option>`
}

/** Renders a few choices, one of which is chosen, each with what it means. */
export function renderRadios(
  legend: string,
  name: string,
  chosen: string,
  choices: readonly { value: string; label: Html | string; hint: Html | string }[],
) {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${choices.map(({ value, label, hint }) => {
      const checked = value === chosen && html`checked`
      return html`<p>
        <label><input type="radio" name="${name}" value="${value}" ${checked} /> ${label}</label>
        <span class="hint">${hint}</span>
      </p>`
    })}
  </fieldset>`
}

/** Renders a check box. It is checked if the fields have it. */
export function renderBox(name: string, label: Html | string, fields: FormFields) {
  return html`<label
    ><input type="checkbox" name="${name}" ${fields[name] !== undefined && html`checked`} /> ${label}</label
  >`
}

/** Renders check boxes, of which at least one is needed: `fault` says so if none was chosen. */
export function renderBoxes(name: string, legend: string, boxes: Html[], problem: FormProblem, fault: string) {
  const isFaulty = findError(name, legend, problem) !== undefined
  return html`<fieldset class="boxes" ${isFaulty && html`aria-describedby="${name}-fault"`}>
    <legend>${legend}</legend>
    ${boxes} ${isFaulty && html`<p class="fault" id="${name}-fault">${fault}</p>`}
  </fieldset>`
}

/** Renders a control with its label, its hint and its error. The control gets the attributes that name the last two. */
function renderLabeled(
  { name, id, label, hint }: { name: string; id: string; label: Html | string; hint?: string },
  problem: FormProblem,
  renderControl: (described: Html) => Html,
) {
  const fault = findError(name, typeof label === 'string' ? label : '', problem)
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${renderControl(renderDescribedBy(id, hint, fault))}
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${fault !== undefined && html`<p class="fault" id="${id}-fault">${fault}</p>`}
  </div>`
}

/** Renders the button of a form and, beside it, the way back without sending it. */
export function renderButtons(label: string, cancelPath: string, kind: 'primary' | 'danger' = 'primary') {
  return html`<div class="actions">
    <button class="${kind}">${label}</button>${renderButton(cancelPath, 'Cancel')}
  </div>`
}

/** Makes the field in which someone types a text, such as an email, to confirm an irreversible action. */
export function askToType(expected: string): FormControl {
  const label = html`Type ${isolate(expected)} to confirm`
  return { name: 'typed', label, value: '', isNoWord: true }
}

/** Throws a problem unless the text of `askToType` was typed; case does not matter. */
export function requireTyped({ typed = '' }: FormFields, expected: string) {
  const fold = (text: string) => foldText(trimBlanks(text))
  if (fold(typed) !== fold(expected)) throw refuseField('/typed', "This doesn't match. Nothing was deleted.")
}

/** Lists the options of a filter, the first of which stands for any value. */
export function listOptions(words: Readonly<Record<string, string>>, any = 'Any') {
  return [{ value: '', label: any }, ...Object.entries(words).map(([value, label]) => ({ value, label }))]
}

/**
 * Finds the first error of a field or of an item of its list. The message names the field by its label instead of by the
 * API's name, and an item by its number.
 */
export function findError(name: string, label: string, problem: FormProblem) {
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

function renderDescribedBy(id: string, hint: string | undefined, fault: string | undefined) {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(fault === undefined ? [] : [`${id}-fault`])]
  if (ids.length === 0) return html``
  return html`aria-describedby="${ids.join(' ')}" ${fault !== undefined && html`aria-invalid="true"`}`
}

/* The fields `from` and `to` of a form: days, or times of a day, in the company's time zone. */

/** Lists what is wrong with the ends of a period. */
export function checkPeriod({ from, to }: FormFields) {
  const rule = 'must be a date, such as 2026-11-20, or a date and time, such as 2026-11-20T14:30'
  return Object.entries({ from, to }).flatMap(([name, text]) =>
    text === undefined || readLocal(text) ? [] : [fieldError(`/${name}`, 'invalid_format', `${name} ${rule}`)],
  )
}

/** Returns the ends of a period as instants, RFC 3339: from the first, before the second. A day in `to` is included. */
export function readPeriod({ from, to }: FormFields, timeZone: string) {
  return {
    ...(from === undefined ? {} : { from: new Date(findStartOf(from, timeZone)).toISOString() }),
    ...(to === undefined ? {} : { to: new Date(findEndOf(to, timeZone)).toISOString() }),
  }
}

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
export function requireRepeated({ password = '', repeated = '' }: FormFields) {
  if (password !== repeated) throw refuseField('/repeated', 'The passwords do not match')
}

/** Says, as the hint of a field, in which time zone it takes times. */
export function describeZone(timeZone: string) {
  return `Time in ${timeZone.replaceAll('_', ' ')}.`
}

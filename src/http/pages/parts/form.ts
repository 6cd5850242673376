import type { FastifySchemaValidationError } from 'fastify'
import type { Static, TSchema } from '@sinclair/typebox'
import { html } from 'hono/html'
import { RefusedByStateError } from '../../../accounts/users/change-company.ts'
import type { Problem } from '../../../domain/errors.ts'
import { bodyProblem, fieldError, invalidFields } from '../../server/body-faults.ts'
import { ProblemError } from '../../server/problem.ts'
import { compileSchema } from '../../server/schema-compiler.ts'
import type { Html } from './page.ts'

/** The fields of a form as a browser sent them: texts, and the last one where a name stands twice. */
export type FormFields = Readonly<Record<string, string>>

/** Reads the body of a form, or a query string; what is neither has no fields. */
export function formFields(body: unknown): FormFields {
  if (typeof body !== 'object' || body === null) return {}
  const texts = Object.entries(body).map(([name, value]) => [name, String([value].flat().at(-1) ?? '')])
  return Object.fromEntries(texts) as FormFields
}

/**
 * Checks what a form comes to by the schema of the endpoint that does the same, so that both have one set of rules and
 * messages. Throws a problem with every fault at its field.
 */
export function checked<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  const check = compiled(schema)
  if (!check(value)) throw new ProblemError(bodyProblem(check.errors ?? [], value))
  assertStorable(value as object)
  return value
}

/** What no text of the database can hold is refused at the door of the endpoints by their parser of bodies. */
function assertStorable(value: object): void {
  const bent = Object.entries(value).filter(
    ([, text]) => typeof text === 'string' && (text.includes('\0') || !text.isWellFormed()),
  )
  if (bent.length === 0) return
  const faults = bent.map(([name]) =>
    fieldError(`/${name}`, 'invalid_format', `${name} contains a character that is not allowed`),
  )
  throw new ProblemError(invalidFields(faults))
}

type Check = ((value: unknown) => boolean) & { errors?: FastifySchemaValidationError[] | null }

const checks = new WeakMap<TSchema, Check>()

function compiled(schema: TSchema): Check {
  let check = checks.get(schema)
  if (!check) {
    check = compileSchema({ schema, method: 'POST', url: '', httpPart: 'body' }) as unknown as Check
    checks.set(schema, check)
  }
  return check
}

/** What is wrong with a form that was sent; null for a form that nobody has sent yet. */
export type FormProblem = Problem | null

/** The problem that a form is shown again with; anything else is thrown on. */
export function asFormProblem(error: unknown): Problem {
  if (error instanceof ProblemError || error instanceof RefusedByStateError) return error.problem
  throw error
}

/** Says what is wrong with the form as a whole; its fields say what is wrong with them. */
export function formAlert(problem: FormProblem): Html {
  if (!problem) return html``
  const atFields = problem.errors.length
  const ofAll =
    problem.errors.find(({ pointer }) => pointer === '')?.message ?? (atFields === 0 ? problem.detail : undefined)
  const text =
    ofAll !== undefined
      ? sentence(ofAll)
      : `Nothing was changed: please correct ${atFields === 1 ? 'one field' : `${atFields} fields`}.`
  return html`<p class="alert" role="alert">${text}</p>`
}

/** A detail of a problem as a sentence. */
export function sentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${detail.endsWith('.') ? '' : '.'}`
}

/** A whole number as it was typed; what is none stays as it is, for the schema to refuse. */
export function wholeNumber(text: string | undefined): number | string {
  return text !== undefined && /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : (text ?? '')
}

/** The version of what a form shows, which it sends back: whoever changes something must have seen it as it is. */
export function seenField(version: number): Html {
  return html`<input type="hidden" name="seen" value="${version}" />`
}

/** The version that came back; one that nothing has when the field is missing. */
export function seenIn({ seen }: FormFields): number {
  return seen !== undefined && /^\d{1,9}$/.test(seen) ? Number(seen) : -1
}

export interface Field {
  name: string
  label: string
  value?: string
  type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'datetime-local'
  hint?: string
  autocomplete?: string
  isRequired?: boolean
  maxLength?: number
  min?: number
  max?: number
  hasFocus?: boolean
}

/** A labelled input, with its hint and with what is wrong with it, which assistive technology reads along with it. */
export function field(wanted: Field, problem: FormProblem): Html {
  const { name, label, value = '', type = 'text', hint, autocomplete, isRequired = true, maxLength, min, max } = wanted
  const fault = faultOf(name, problem)
  const input = html`<input
    id="${name}"
    name="${name}"
    type="${type}"
    value="${type === 'password' ? '' : value}"
    ${isRequired ? html`required` : ''}
    ${wanted.hasFocus ? html`autofocus` : ''}
    ${autocomplete === undefined ? '' : html`autocomplete="${autocomplete}"`}
    ${maxLength === undefined ? '' : html`maxlength="${maxLength}"`}
    ${min === undefined ? '' : html`min="${min}"`}
    ${max === undefined ? '' : html`max="${max}"`}
    ${describedBy(name, hint, fault)}
  />`
  return html`<div class="field"><label for="${name}">${label}</label>${input}${below(name, hint, fault)}</div>`
}

export interface Choice {
  name: string
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  hint?: string
}

/** A labelled list to choose from. */
export function choice({ name, label, value, options, hint }: Choice, problem: FormProblem): Html {
  const fault = faultOf(name, problem)
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}" ${describedBy(name, hint, fault)}>
      ${options.map((option) => html`<option value="${option.value}" ${option.value === value ? html`selected` : ''}>${option.label}</option>`)}
    </select>
    ${below(name, hint, fault)}
  </div>`
}

/** The box to tick before something is done that cannot be undone. */
export function confirmation(label: string, problem: FormProblem): Html {
  const fault = faultOf('sure', problem)
  return html`<div class="field tick">
    <input id="sure" name="sure" type="checkbox" value="yes" required ${describedBy('sure', undefined, fault)} />
    <label for="sure">${label}</label>
    ${below('sure', undefined, fault)}
  </div>`
}

/** Throws a problem unless the box of `confirmation` was ticked. */
export function confirmed({ sure }: FormFields): void {
  if (sure !== 'yes')
    throw new ProblemError(
      invalidFields([fieldError('/sure', 'required', 'tick the box to go on: it cannot be undone')]),
    )
}

/** The options of a filter that may be left open. */
export function anyOf(words: Readonly<Record<string, string>>, any = 'Any'): { value: string; label: string }[] {
  return [{ value: '', label: any }, ...Object.entries(words).map(([value, label]) => ({ value, label }))]
}

function faultOf(name: string, problem: FormProblem): string | undefined {
  return problem?.errors.find(({ pointer }) => pointer === `/${name}`)?.message
}

function describedBy(name: string, hint: string | undefined, fault: string | undefined): Html {
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(fault === undefined ? [] : [`${name}-fault`])]
  if (ids.length === 0) return html``
  return html`aria-describedby="${ids.join(' ')}" ${fault === undefined ? '' : html`aria-invalid="true"`}`
}

function below(name: string, hint: string | undefined, fault: string | undefined): Html {
  return html`${hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
  ${fault === undefined ? '' : html`<p class="fault" id="${name}-fault">${fault}</p>`}`
}

import type { OpenApiDocument } from '#http/openapi/build-document'
import { resolveReference, type Schema } from './operations.ts'
import { renderParagraphs } from './render-text.ts'
import { html, type Html } from '../parts/html.ts'

/** Renders the members of a schema, and those of the schemas in them, of which none is part of itself. */
export function renderSchema(document: OpenApiDocument, schema: Schema): Html {
  const { anyOf = [], items, properties = {}, required } = resolveReference(document, schema)
  const choices = anyOf.filter((choice) => hasMembers(document, choice))
  if (items) return renderSchema(document, items)
  if (choices.length === 1) return renderSchema(document, choices[0]!)
  if (choices.length > 1)
    return html`${choices.map(
      (choice) =>
        html`<details class="sample" ${nameOf(choice) !== undefined && html`open`}>
          <summary>${describeType(document, choice)}</summary>
          ${renderSchema(document, choice)}
        </details>`,
    )}`
  const members = Object.entries(properties)
  if (members.length === 0) return html``
  return html`<dl class="members">
    ${members.map(([member, inner]) => renderMember(document, member, inner, required?.includes(member) ?? false))}
  </dl>`
}

function renderMember(document: OpenApiDocument, name: string, schema: Schema, isRequired: boolean): Html {
  const resolved = resolveReference(document, schema)
  return html`<div>
    <dt>
      <code>${name}</code> <span class="hint">${describeType(document, schema)}</span>
      ${isRequired && html`<span class="required">required</span>`}
    </dt>
    <dd>
      ${renderParagraphs(resolved.description)} ${renderLimits(resolved)}
      ${
        hasMembers(document, schema) &&
        html`<details>
              <summary>Members of <code>${name}</code></summary>
              ${renderSchema(document, schema)}
            </details>`
      }
    </dd>
  </div>`
}

/** The units of limits, and the members that hold the least and the most. */
const RANGES = [
  ['character', 'minLength', 'maxLength'],
  ['item', 'minItems', 'maxItems'],
  ['member', 'minProperties', 'maxProperties'],
  ['', 'minimum', 'maximum'],
] as const

/** Renders the limits of a value, if it has any. */
function renderLimits(schema: Schema): Html {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  const limits = RANGES.flatMap(([unit, least, most]) => describeRange(schema[least], schema[most], unit))
  const initial = schema.default === undefined ? [] : [html`<code>${JSON.stringify(schema.default)}</code> by default`]
  const parts = [...values.map((value) => html`<code>${JSON.stringify(value)}</code>`), ...limits, ...initial]
  if (parts.length === 0) return html``
  return html`<p class="hint">${parts.map((part, at) => html`${at > 0 && ', '}${part}`)}</p>`
}

function describeRange(least: number | undefined, most: number | undefined, unit: string): string[] {
  if (least === undefined && most === undefined) return []
  const range =
    least === undefined ? `at most ${most}` : most === undefined ? `at least ${least}` : `${least} to ${most}`
  return [unit === '' ? range : `${range} ${unit}${(most ?? least) === 1 ? '' : 's'}`]
}

/** Describes the type of a value in a few words. An object has the name of its schema. */
export function describeType(document: OpenApiDocument, schema: Schema): string {
  const name = nameOf(schema)
  if (name !== undefined && hasMembers(document, schema)) return name
  const { type, format, items, anyOf } = resolveReference(document, schema)
  if (anyOf) return [...new Set(anyOf.map((choice) => describeType(document, choice)))].join(' or ')
  if (items) return `array of ${describeType(document, items)}`
  if (type === undefined) return 'any value'
  const words = [type].flat().map((word) => (word === 'string' && format !== undefined ? `string (${format})` : word))
  return words.join(' or ')
}

function hasMembers(document: OpenApiDocument, schema: Schema): boolean {
  const { properties, items, anyOf } = resolveReference(document, schema)
  if (items) return hasMembers(document, items)
  return anyOf ? anyOf.some((choice) => hasMembers(document, choice)) : Object.keys(properties ?? {}).length > 0
}

function nameOf({ $ref: reference }: Schema): string | undefined {
  return reference?.split('/').at(-1)
}

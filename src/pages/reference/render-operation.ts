import type { OpenApiDocument } from '#http/openapi/build-document'
import { problem, type ProblemCode } from '#domain/errors'
import { renderCode, html, type Html, renderTable, renderHint, renderJoined } from '#pages/parts/elements'
import {
  resolveReference,
  type Schema,
  type Answer,
  type Content,
  type Operation,
  type Parameter,
} from './operations.ts'
import { writeSamples } from './samples.ts'

const MARKED = /`([^`]+)`|\[([^\]]+)\]\([^)\s]+\)/g

/** Renders a text with code between backticks. Of links to other sites, it keeps the words: pages name no such address. */
export function renderText(text: string): Html[] {
  const parts: Html[] = []
  let end = 0
  for (const { 0: whole, 1: code, 2: label, index } of text.matchAll(MARKED)) {
    parts.push(html`${text.slice(end, index)}`, code === undefined ? html`${label}` : renderCode(code))
    end = index + whole.length
  }
  return [...parts, html`${text.slice(end)}`]
}

/** Renders a text of several paragraphs. */
export function renderParagraphs(text: string | undefined): Html[] {
  return (text ?? '')
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => html`<p>${renderText(paragraph)}</p>`)
}

/** Renders the members of a schema, and those of the schemas in them, of which none is part of itself. */
function renderSchema(document: OpenApiDocument, schema: Schema): Html {
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

function renderMember(document: OpenApiDocument, name: string, schema: Schema, isRequired: boolean) {
  const resolved = resolveReference(document, schema)
  return html`<div>
    <dt>
      ${renderCode(name)} <span class="hint">${describeType(document, schema)}</span>
      ${isRequired && html`<span class="required">required</span>`}
    </dt>
    <dd>
      ${renderParagraphs(resolved.description)} ${renderLimits(resolved)}
      ${
        hasMembers(document, schema) &&
        html`<details>
              <summary>Members of ${renderCode(name)}</summary>
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
function renderLimits(schema: Schema) {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  const limits = RANGES.flatMap(([unit, least, most]) => describeRange(schema[least], schema[most], unit))
  const initial = schema.default === undefined ? [] : [html`${renderCode(JSON.stringify(schema.default))} by default`]
  const parts = [...values.map((value) => renderCode(JSON.stringify(value))), ...limits, ...initial]
  if (parts.length === 0) return html``
  return html`<p class="hint">${renderJoined(parts.map((part) => part))}</p>`
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

/** The pages of operations are here, by their ids. */
export const OPERATION_PATH = '/docs/'

/** Renders the page of an operation: what it takes and answers on the left, samples on the right. */
export function renderOperation(document: OpenApiDocument, operation: Operation) {
  const { kind, tag, summary, description, parameters, body, answers } = operation
  const successes = answers.filter((answer) => !isProblem(answer))
  return html`<nav aria-label="Breadcrumb" class="trail"><a href="/docs">API reference</a> <span aria-hidden="true">/</span>
      <a href="/docs#${groupId(tag)}">${tag}</a></nav>
    <h1>${summary}</h1>
    <p>${renderAddress(operation)}</p>
    ${renderParagraphs(description)}
    <div class="operation columns">
      <div class="shows">
        ${kind === 'call' && renderSamples(operation)} 
        ${kind === 'call' ? renderExamples(body?.content ?? [], 'Body', 'closed') : renderExamples(body?.content ?? [], 'Message')}
        ${successes.map(({ status, content }, at) => renderExamples(content, `Answer ${status}`, at === 0 ? 'open' : 'closed'))}
      </div>
      <div>
        ${(['path', 'query', 'header'] as const).map((place) =>
          renderParameters(
            document,
            place,
            parameters.filter((parameter) => parameter.in === place),
          ),
        )}
        ${
          body &&
          html`<h2>Body</h2>
                ${renderParagraphs(body.description)} ${renderContent(document, body.content)}`
        }
        ${successes.length > 0 && html`<h2>${kind === 'call' ? 'Answers' : 'What your server answers'}</h2>`}
        ${successes.map((answer) => renderAnswer(document, answer))} ${renderProblems(answers.filter(isProblem))}
      </div>
    </div>`
}

/** The id of a group's heading on the first page. */
export function groupId(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

/** Renders the method and the path of a call, or the type of a message. */
export function renderAddress({ kind, method, path }: Operation) {
  return html`<span class="address">${kind === 'call' && html`<code class="method">${method}</code> `}${renderCode(path)}</span>`
}

function isProblem({ content }: Answer): boolean {
  return content.some(([type]) => type === 'application/problem+json')
}

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' }

/** Renders the parameters of a place as the members of an object. */
function renderParameters(document: OpenApiDocument, place: Parameter['in'], parameters: Parameter[]) {
  if (parameters.length === 0) return html``
  const members = parameters.map(({ name, description = '', schema }): [string, Schema] => {
    return [name, { ...schema, description }]
  })
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return html`<h2>${PLACES[place]}</h2>
    ${renderSchema(document, { properties: Object.fromEntries(members), required })}`
}

function renderContent(document: OpenApiDocument, content: [type: string, content: Content][]) {
  if (content.length === 0) return html``
  const [[, { schema = {} }]] = content as [[string, Content]]
  return html`<p class="hint">
      ${joinCodes(
        content.map(([type]) => type),
        ' or ',
      )}: ${describeType(document, schema)}
    </p>
    ${renderSchema(document, schema)}`
}

function joinCodes(codes: readonly string[], between: string): Html[] {
  return codes.map((code, at) => html`${at > 0 && between}${renderCode(code)}`)
}

function renderAnswer(document: OpenApiDocument, { status, description, headers, content }: Answer) {
  return html`<h3>${renderCode(status)}</h3>
    ${renderParagraphs(description)}
    ${headers.length > 0 && renderHint(html`Headers: ${joinCodes(headers, ', ')}`)}
    ${renderContent(document, content)}`
}

/** Lists the problem codes of a call, each with its page. */
function renderProblems(answers: Answer[]) {
  const codes = answers.flatMap(({ status, content }) =>
    content.flatMap(([, { schema = {} }]) => listCodes(schema).map((code) => ({ status, code }))),
  )
  if (codes.length === 0) return html``
  return html`<h2 id="problems">Errors</h2>
    ${renderTable({
      caption: 'Errors',
      columns: {
        Status: ({ status }) => status,
        Code: {
          isName: true,
          cell: ({ code }) => html`<span class="unbroken"><a href="/problems/${code}">${renderCode(code)}</a></span>`,
        },
        Meaning: ({ code }) => problem(code as ProblemCode, '').title,
      },
      rows: codes,
    })}`
}

/** The problem codes of an answer. */
export function problemCodesOf({ content }: Answer): string[] {
  return content.flatMap(([, { schema = {} }]) => listCodes(schema))
}

function listCodes({ allOf = [], properties }: Schema): string[] {
  const { enum: codes = [] } = properties?.['code'] ?? {}
  return [...(codes as string[]), ...allOf.flatMap(listCodes)]
}

function renderSamples(operation: Operation) {
  return html`<h2>Samples</h2>
    ${writeSamples(operation).map(({ language, code }, at) => renderSample(language, code, at === 0, 'sample'))}`
}

/** Renders examples, of which the first is open, unless a sample shows it. */
function renderExamples(content: [type: string, content: Content][], label: string, first: 'open' | 'closed' = 'open') {
  const examples = content.slice(0, 1).flatMap(([, { examples = {} }]) => Object.values(examples))
  return html`${examples.map(({ summary, value }, at) =>
    renderSample(html`${label}: ${renderText(summary)}`, JSON.stringify(value, null, 2), at === 0 && first === 'open'),
  )}`
}

/** Renders a text that opens and closes. Of a group, one is open. */
function renderSample(label: Html | string, text: string, isOpen: boolean, group?: string) {
  return html`<details ${group !== undefined && html`name="${group}"`} class="sample" ${isOpen && html`open`}>
    <summary>${label}</summary>
    <pre>${renderCode(text)}</pre>
    <button type="button" data-copy hidden>Copy</button>
  </details>`
}

import { problem, type ProblemCode } from '#domain/errors'
import type { OpenApiDocument } from '#http/openapi/build-document'
import {
  resolveReference,
  type Answer,
  type Content,
  type Operation,
  type OperationGroup,
  type Schema,
} from './operations.ts'
import { writeSamples } from './samples.ts'

/* The reference as Markdown: for programs that read texts, and for pages. */

/** How deep the members of members are listed. */
const MAX_DEPTH = 4

/** A text that shows how something is used, or what it looks like. */
export interface Shown {
  label: string
  language: string
  code: string
  /** What the most readers look for. */
  isFirst: boolean
}

/** Writes the page of an operation. */
export function writeOperation(document: OpenApiDocument, operation: Operation) {
  const samples = listShown(operation).flatMap(({ label, language, code }) => [
    `## ${label}`,
    writeCode(language, code),
  ])
  return joinParagraphs([describeOperation(document, operation), ...samples])
}

/** Writes what an operation takes and answers. */
export function describeOperation(document: OpenApiDocument, operation: Operation) {
  const { summary, description, parameters, body, answers } = operation
  const problems = answers.flatMap((answer) => listCodes(answer).map((code) => ({ code, status: answer.status })))
  const places = (['path', 'query', 'header'] as const).flatMap((place) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    const members = own.map(({ name, description: text = '', schema, required }) =>
      writeMember(document, name, { ...schema, description: text }, required === true, 0),
    )
    return own.length === 0 ? [] : [`## Parameters (${place})`, members.join('\n')]
  })
  return joinParagraphs([
    `# ${summary}`,
    writeAddress(operation),
    description,
    ...places,
    ...(body ? ['## Body', body.description, writeContent(document, body.content)] : []),
    ...answers
      .filter(isNoProblem)
      .flatMap(({ status, description: text, headers, content }) => [
        `## Answer ${status}`,
        text,
        headers.length === 0 ? '' : `Headers: ${writeCodes(headers, ', ')}`,
        writeContent(document, content),
      ]),
    ...(problems.length > 0 ? ['## Errors', problems.map(writeProblem).join('\n')] : []),
  ])
}

/** Lists the samples and the examples of an operation, the most useful first. */
export function listShown({ kind, body, answers, ...operation }: Operation): Shown[] {
  const samples = kind === 'call' ? writeSamples({ kind, body, answers, ...operation }) : []
  const examples = (label: string, content: Answer['content'], isFirst: boolean) =>
    Object.values(content[0]?.[1].examples ?? {}).map(({ summary, value }, at) => ({
      label: `${label}: ${summary}`,
      language: 'json',
      code: JSON.stringify(value, null, 2),
      isFirst: isFirst && at === 0,
    }))
  return [
    ...samples.map(({ language, code }, at) => ({
      label: language,
      language: language === 'curl' ? 'sh' : language.toLowerCase(),
      code,
      isFirst: at === 0,
    })),
    ...examples(kind === 'call' ? 'Body' : 'Message', body?.content ?? [], kind === 'message'),
    ...answers
      .filter(isNoProblem)
      .flatMap(({ status, content }, at) => examples(`Answer ${status}`, content, at === 0)),
  ]
}

/** Writes the first page: how to call the API, and all operations. It is `llms.txt`, too (https://llmstxt.org). */
export function writeIndex(document: OpenApiDocument, groups: OperationGroup[]) {
  const { info, components } = document as unknown as Described
  const [summary, ...more] = info.description.split('\n\n')
  const schemes = Object.values(components.securitySchemes).map(
    ({ name = 'authorization: Bearer', description }) => `- \`${name}\`: ${description}`,
  )
  const lists = groups.flatMap(({ name, description, operations }) => [
    `## ${name}`,
    description,
    operations.map((one) => `- [${one.summary}](/docs/${one.id}.md): ${writeAddress(one)}`).join('\n'),
  ])
  return joinParagraphs([
    `# ${info.title}`,
    `> ${summary}`,
    ...more,
    `Version ${info.version}`,
    ...AUTHENTICATION,
    schemes.join('\n'),
    ...ERRORS,
    ...lists,
    '## More',
    MORE.join('\n'),
  ])
}

interface Described {
  info: { title: string; version: string; description: string }
  components: { securitySchemes: Record<string, { type: string; name?: string; description: string }> }
}

const AUTHENTICATION = [
  '## Authentication',
  'Calls below `/v1` need the id and the secret of an API key. The others need the token of a user, and the call ' +
    'that issues a token needs a session. The samples take them from the environment:',
  writeCode(
    'sh',
    `export API_URL=https://ledger.example.com
export API_ID=key_…
export API_KEY=el_live_…
export API_TOKEN=el_user_…
export SESSION=el_ses_…`,
  ),
]

const EXAMPLE_PROBLEM = {
  ...problem('validation_failed', '1 of 1 records is not valid'),
  errors: [{ index: 0, pointer: '/0/email', code: 'invalid_format', message: 'email must be a valid email address' }],
}

const ERRORS = [
  '## Errors',
  'A refused call answers with a problem document (RFC 9457), whose `code` says what happened. Each code has a page ' +
    'at [/problems](/problems).',
  writeCode('json', JSON.stringify(EXAMPLE_PROBLEM, null, 2)),
]

const MORE = [
  '- [OpenAPI document](/openapi.json): all of this in one document',
  '- [Problem codes](/problems): what errors mean, as JSON with `Accept: application/json`',
  '- [This reference as Markdown](/llms.txt): for programs that read texts',
  '- [Client for JavaScript and TypeScript](/client.tgz): a package for `npm install`',
]

function joinParagraphs(parts: readonly string[]) {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Writes the method and the path of a call, or the type of a message. */
function writeAddress({ kind, method, path }: Operation) {
  return `\`${kind === 'call' ? `${method} ` : ''}${path}\``
}

function isNoProblem(answer: Answer) {
  return listCodes(answer).length === 0
}

/** The problem codes of an answer. */
function listCodes({ content }: Answer): string[] {
  const codesOf = ({ allOf = [], properties }: Schema): string[] => [
    ...((properties?.['code']?.enum ?? []) as string[]),
    ...allOf.flatMap(codesOf),
  ]
  return content.flatMap(([, { schema = {} }]) => codesOf(schema))
}

function writeProblem({ code, status }: { code: string; status: string }) {
  return `- ${status} [${code}](/problems/${code}): ${problem(code as ProblemCode, '').title}`
}

function writeContent(document: OpenApiDocument, content: [type: string, content: Content][]) {
  const [[, { schema = {} }] = ['', {}]] = content
  if (content.length === 0) return ''
  const types = content.map(([type]) => type)
  return joinParagraphs([
    `${writeCodes(types, ' or ')}: *${describeType(document, schema)}*`,
    writeMembers(document, schema, 0),
  ])
}

function writeCodes(codes: readonly string[], between: string) {
  return codes.map((code) => `\`${code}\``).join(between)
}

/** Lists the members of a schema, or of each of several that have any. */
function writeMembers(document: OpenApiDocument, schema: Schema, depth: number): string {
  const { anyOf = [], items, properties = {}, required = [] } = resolveReference(document, schema)
  if (items) return writeMembers(document, items, depth)
  // Some choices differ only in whether there are several of the same.
  const choices = [...Map.groupBy(anyOf, (choice) => writeMembers(document, choice, depth + 1))].filter(
    ([text]) => text,
  )
  if (choices.length === 1) return writeMembers(document, choices[0]![1][0]!, depth)
  const indent = '  '.repeat(depth)
  const lines = choices.map(([text, same]) => `${indent}- *${describeType(document, { anyOf: same })}*\n${text}`)
  const members = Object.entries(properties).map(([name, member]) =>
    writeMember(document, name, member, required.includes(name), depth),
  )
  return [...lines, ...members].join('\n')
}

function writeMember(document: OpenApiDocument, name: string, schema: Schema, isRequired: boolean, depth: number) {
  const resolved = resolveReference(document, schema)
  const text = (resolved.description ?? '').replaceAll(/\s+/g, ' ')
  const limits = listLimits(resolved).join(', ')
  const type = `*${describeType(document, schema)}*${isRequired ? ', required' : ''}`
  const more = `${text && `: ${text}`}${limits && ` (${limits})`}`
  const line = `${'  '.repeat(depth)}- \`${name}\` ${type}${more}`
  const inner = depth < MAX_DEPTH ? writeMembers(document, schema, depth + 1) : ''
  return inner === '' ? line : `${line}\n${inner}`
}

/** The units of limits, and the members that hold the least and the most. */
const RANGES = [
  ['character', 'minLength', 'maxLength'],
  ['item', 'minItems', 'maxItems'],
  ['member', 'minProperties', 'maxProperties'],
  ['', 'minimum', 'maximum'],
] as const

/** Lists the limits of a value. */
function listLimits(schema: Schema) {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  const initial = schema.default === undefined ? [] : [`\`${JSON.stringify(schema.default)}\` by default`]
  const ranges = RANGES.flatMap(([unit, least, most]) => describeRange(schema[least], schema[most], unit))
  return [...values.map((value) => `\`${JSON.stringify(value)}\``), ...ranges, ...initial]
}

function describeRange(least: number | undefined, most: number | undefined, unit: string) {
  if (least === undefined && most === undefined) return []
  const range =
    least === undefined ? `at most ${most}` : most === undefined ? `at least ${least}` : `${least} to ${most}`
  return [unit === '' ? range : `${range} ${unit}${(most ?? least) === 1 ? '' : 's'}`]
}

/** Describes the type of a value in a few words. An object has the name of its schema. */
function describeType(document: OpenApiDocument, schema: Schema): string {
  const { type, format, items, anyOf, properties } = resolveReference(document, schema)
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined && properties) return name
  if (anyOf) return [...new Set(anyOf.map((choice) => describeType(document, choice)))].join(' or ')
  if (items) return `array of ${describeType(document, items)}`
  if (type === undefined) return 'any value'
  const words = [type].flat().map((word) => (word === 'string' && format !== undefined ? `string (${format})` : word))
  return words.join(' or ')
}

function writeCode(language: string, code: string) {
  return `\`\`\`${language}\n${code}\n\`\`\``
}

import type { OpenApiDocument } from '#http/openapi/build-document'
import { resolveReference, type Operation, type OperationGroup, type Schema } from './operations.ts'
import { problemCodesOf, describeType } from './render-operation.ts'
import { writeSamples } from './samples.ts'

/* The reference as Markdown, for programs that read texts. */

/** How deep the members of members are listed. */
const MAX_DEPTH = 4

/** Writes the page of an operation. */
export function writeOperation(document: OpenApiDocument, operation: Operation): string {
  const { kind, summary, description, method, path, parameters, body, answers } = operation
  const codes = answers.flatMap(problemCodesOf)
  const places = (['path', 'query', 'header'] as const).flatMap((place) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    const members = own.map(({ name, description: text = '', schema, required }) =>
      writeMember(document, name, { ...schema, description: text }, required === true, 0),
    )
    return own.length === 0 ? [] : [`## Parameters (${place})`, members.join('\n')]
  })
  const shown = answers.filter((answer) => problemCodesOf(answer).length === 0)
  return joinParagraphs([
    `# ${summary}`,
    `\`${kind === 'call' ? `${method} ` : ''}${path}\``,
    description,
    ...places,
    ...(body ? ['## Body', body.description, writeContent(document, body.content[0]?.[1].schema)] : []),
    ...shown.flatMap(({ status, description: text, content }) => [
      `## Answer ${status}`,
      text,
      writeContent(document, content[0]?.[1].schema),
      writeExample(content[0]?.[1].examples),
    ]),
    ...(codes.length > 0 ? ['## Errors', codes.map((code) => `- [${code}](/problems/${code})`).join('\n')] : []),
    ...(kind === 'call'
      ? writeSamples(operation).flatMap(({ language, code }) => [`## ${language}`, writeCode(language, code)])
      : []),
  ])
}

/** Writes the list of all operations; as `llms.txt`, it leads to the pages in Markdown (https://llmstxt.org). */
export function writeIndex({ title, description }: { title: string; description: string }, groups: OperationGroup[]) {
  const lists = groups.flatMap((group) => [
    `## ${group.name}`,
    group.description,
    group.operations
      .map(({ id, summary, kind, method, path }) => {
        return `- [${summary}](/docs/${id}.md): \`${kind === 'call' ? `${method} ` : ''}${path}\``
      })
      .join('\n'),
  ])
  const more = [
    '- [OpenAPI document](/openapi.json): all of this in one document',
    '- [Problem codes](/problems): what errors mean, as JSON with `Accept: application/json`',
    '- [Client for JavaScript and TypeScript](/client.tgz): a package for `npm install`',
  ]
  return joinParagraphs([`# ${title}`, `> ${description.split('\n\n')[0]}`, ...lists, '## More', more.join('\n')])
}

function joinParagraphs(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function writeContent(document: OpenApiDocument, schema: Schema | undefined): string {
  return schema === undefined ? '' : writeMembers(document, schema, 0)
}

/** Lists the members of a schema, or of the first of several that has any. */
function writeMembers(document: OpenApiDocument, schema: Schema, depth: number): string {
  const { anyOf = [], items, properties, required = [] } = resolveReference(document, schema)
  if (properties === undefined) {
    const inner = items ?? anyOf.find((choice) => writeMembers(document, choice, depth) !== '')
    return inner === undefined ? '' : writeMembers(document, inner, depth)
  }
  return Object.entries(properties)
    .map(([name, member]) => writeMember(document, name, member, required.includes(name), depth))
    .join('\n')
}

function writeMember(document: OpenApiDocument, name: string, schema: Schema, isRequired: boolean, depth: number) {
  const { description = '', enum: values = [] } = resolveReference(document, schema)
  const choices = values.length === 0 ? '' : `: ${values.map((value) => JSON.stringify(value)).join(', ')}`
  const text = description.replaceAll(/\s+/g, ' ')
  const type = `${describeType(document, schema)}${choices}${isRequired ? ', required' : ''}`
  const line = `${'  '.repeat(depth)}- \`${name}\` (${type})${text === '' ? '' : `: ${text}`}`
  const inner = depth < MAX_DEPTH ? writeMembers(document, schema, depth + 1) : ''
  return inner === '' ? line : `${line}\n${inner}`
}

function writeExample(examples: Record<string, { value: unknown }> = {}): string {
  const [first] = Object.values(examples)
  return first === undefined ? '' : writeCode('json', JSON.stringify(first.value, null, 2))
}

function writeCode(language: string, code: string): string {
  return `\`\`\`${language === 'curl' ? 'sh' : language.toLowerCase()}\n${code}\n\`\`\``
}

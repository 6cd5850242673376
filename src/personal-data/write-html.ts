import { html, raw } from 'hono/html'
import { inTurns } from '#admission/turns'
import type { Row } from './places.ts'
import type { Report, Section } from './report.ts'

type Html = ReturnType<typeof html>

/** The policy of a page that people open as a file: everything is in the file itself, and it may load nothing. */
export const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b;
    background: #fff; overflow-wrap: anywhere }
  h2 { margin-top: 2.5rem; border-bottom: 1px solid #767676 }
  ol.items { list-style: none; padding: 0 }
  ol.items > li { border-bottom: 1px solid #ccc; padding: .5rem 0; break-inside: avoid }
  dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: 0 1rem; margin: 0 }
  dt { color: #555 } dd { margin: 0 } dd ul, dd ol { margin: 0; padding-left: 1.2rem }
  @media (max-width: 40rem) { dl { grid-template-columns: 1fr } dd { padding-left: 1rem } }
  @media print { body { max-width: none; margin: 0; font-size: 11pt } }`

/** Writes a report as a page that can be read, printed, and handed over without anything else, section by section. */
export async function* writeHtml({ title, facts, sections }: Report): AsyncGenerator<string> {
  yield (
    await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content="${FILE_POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p>
            This page lists what the service stores about one person, place by place,
              and for each place, what an erasure
            of the person deletes. Backups and files that were exported earlier are not part of it.
          </p>
          ${renderFields(facts)}
          <nav aria-label="Sections">
            <ul>
              ${sections.map((section) => html`<li><a href="#${section.name}">${section.title}</a></li>`)}
            </ul>
          </nav>
        `
  ).toString()
  for (const section of sections) yield* writeSection(section)
  yield '</main></body></html>\n'
}

async function* writeSection({ name, title, description, erases, items }: Section): AsyncGenerator<string> {
  const heading = html`<section aria-labelledby="${name}">
    <h2 id="${name}">${title}</h2>
    <p>${description}</p> `
  yield (await heading).toString()
  let isEmpty = true
  for await (const page of items) {
    if (page.length === 0) continue
    if (isEmpty) yield (await html`<p>${describeErasure(erases, page[0]!)}</p>`).toString() + '<ol class="items">'
    const entries: string[] = []
    for await (const item of inTurns(page)) entries.push((await html`<li>${renderFields(item)}</li>`).toString())
    yield entries.join('')
    isEmpty = false
  }
  yield `${isEmpty ? '<p>Nothing is held here.</p>' : '</ol>'}</section>\n`
}

const AND = new Intl.ListFormat('en-GB')

function describeErasure(erases: readonly string[], item: Row): string {
  if (erases.length === 0) return 'An erasure of the person deletes none of this.'
  if (Object.keys(item).every((name) => erases.includes(name))) return 'An erasure of the person deletes all of this.'
  return `An erasure of the person deletes: ${AND.format(erases.map(formatName))}.`
}

/** Formats the name of a field: `recorded_at` as “recorded at”. */
function formatName(name: string): string {
  return name.replaceAll('_', ' ')
}

function renderFields(fields: Row, depth = 0): Html {
  return html`<dl>
    ${Object.entries(fields).map(
      ([name, value]) =>
        html`<dt><bdi>${formatName(name)}</bdi></dt>
          <dd>${renderValue(value, depth)}</dd>`,
    )}
  </dl>`
}

/** Values that are nested deeper are written as JSON. */
const MAX_DEPTH = 4
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/

function renderValue(value: unknown, depth: number): Html {
  if (value === null || value === undefined) return html`—`
  if (typeof value === 'string') return html`<bdi>${value.replace(INSTANT, '$1 $2 UTC')}</bdi>`
  if (typeof value === 'boolean') return html`${value ? 'yes' : 'no'}`
  if (typeof value !== 'object') return html`${JSON.stringify(value)}`
  const values = Object.entries(value)
  if (values.length === 0) return html`—`
  if (depth >= MAX_DEPTH) return html`<code>${JSON.stringify(value)}</code>`
  if (Array.isArray(value))
    return html`<ul>${value.map((inner) => html`<li>${renderValue(inner, depth + 1)}</li>`)}</ul>`
  if (values.length === 2 && 'from' in value && 'to' in value)
    return html`${renderValue(value.from, depth + 1)} → ${renderValue(value.to, depth + 1)}`
  return renderFields(value as Row, depth + 1)
}

import { problem, type ProblemCode } from '../../../domain/errors.ts'
import type { OpenApiDocument } from '../../openapi/build-document.ts'
import type { Answer, Content, Operation, Parameter, Schema } from './operations.ts'
import { describeType, renderLimits, renderSchema } from './render-schema.ts'
import { renderParagraphs, renderText } from './render-text.ts'
import { writeSamples } from './samples.ts'
import { html, type Html } from '../parts/html.ts'

/** The pages of operations are here, by their ids. */
export const OPERATION_PATH = '/docs/'

/** Renders the page of an operation: what it takes and answers on the left, samples on the right. */
export function renderOperation(document: OpenApiDocument, operation: Operation): Html {
  const { kind, tag, summary, description, parameters, body, answers } = operation
  const successes = answers.filter((answer) => !isProblem(answer))
  return html`<nav aria-label="Breadcrumb" class="trail"><a href="/docs">API reference</a> <span aria-hidden="true">/</span>
      <a href="/docs#${groupId(tag)}">${tag}</a></nav>
    <h1>${summary}</h1>
    <p>${renderAddress(operation)}</p>
    ${renderParagraphs(description)}
    <div class="operation">
      <div class="shows">
        ${kind === 'call' ? renderSamples(operation) : ''} 
        ${kind === 'call' ? renderExamples(body?.content ?? [], 'Body', 'closed') : renderExamples(body?.content ?? [], 'Message')}
        ${successes.map(({ status, content }, at) => renderExamples(content, `Answer ${status}`, at === 0 ? 'open' : 'closed'))}
      </div>
      <div class="takes">
        ${(['path', 'query', 'header'] as const).map((place) =>
          renderParameters(
            document,
            place,
            parameters.filter((parameter) => parameter.in === place),
          ),
        )}
        ${
          body
            ? html`<h2>Body</h2>
                ${renderParagraphs(body.description)} ${renderContent(document, body.content)}`
            : ''
        }
        ${successes.length > 0 ? html`<h2>${kind === 'call' ? 'Answers' : 'What your server answers'}</h2>` : ''}
        ${successes.map((answer) => renderAnswer(document, answer))} ${renderProblems(answers.filter(isProblem))}
      </div>
    </div>`
}

/** The id of a group's heading on the first page. */
export function groupId(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

/** Renders the method and the path of a call, or the type of a message. */
export function renderAddress({ kind, method, path }: Operation): Html {
  return html`<span class="address">${kind === 'call' ? html`<code class="method">${method}</code> ` : ''}<code>${path}</code></span>`
}

function isProblem({ content }: Answer): boolean {
  return content.some(([type]) => type === 'application/problem+json')
}

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' }

function renderParameters(document: OpenApiDocument, place: Parameter['in'], parameters: Parameter[]): Html {
  if (parameters.length === 0) return html``
  return html`<h2>${PLACES[place]}</h2>
    <dl class="members">
      ${parameters.map(
        ({ name, required, description, schema }) =>
          html`<div>
            <dt>
              <code>${name}</code> <span class="type">${describeType(document, schema)}</span>
              ${required === true ? html`<span class="required">required</span>` : ''}
            </dt>
            <dd>${renderParagraphs(description)} ${renderLimits(schema)}</dd>
          </div>`,
      )}
    </dl>`
}

function renderContent(document: OpenApiDocument, content: [type: string, content: Content][]): Html {
  if (content.length === 0) return html``
  const [[, { schema = {} }]] = content as [[string, Content]]
  return html`<p class="hint">
      ${content.map(([type], at) => html`${at > 0 ? ' or ' : ''}<code>${type}</code>`)}: ${describeType(document, schema)}
    </p>
    ${renderSchema(document, schema)}`
}

function renderAnswer(document: OpenApiDocument, { status, description, headers, content }: Answer): Html {
  return html`<h3><code>${status}</code></h3>
    ${renderParagraphs(description)}
    ${headers.length > 0 ? html`<p class="hint">Headers: ${headers.map((name, at) => html`${at > 0 ? ', ' : ''}<code>${name}</code>`)}</p>` : ''}
    ${renderContent(document, content)}`
}

/** Lists the problem codes of a call, each with its page. */
function renderProblems(answers: Answer[]): Html {
  const codes = answers.flatMap(({ status, content }) =>
    content.flatMap(([, { schema = {} }]) => listCodes(schema).map((code) => [status, code] as const)),
  )
  if (codes.length === 0) return html``
  return html`<h2 id="problems">Errors</h2>
    <table class="cards" aria-labelledby="problems">
      <thead>
        <tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr>
      </thead>
      <tbody>
        ${codes.map(
          ([status, code]) =>
            html`<tr>
              <td data-label="Status">${status}</td>
              <th scope="row" data-label="Code" class="unbroken"><a href="/problems/${code}"><code>${code}</code></a></th>
              <td data-label="Meaning">${problem(code as ProblemCode, '').title}</td>
            </tr>`,
        )}
      </tbody>
    </table>`
}

function listCodes({ allOf = [], properties }: Schema): string[] {
  const { enum: codes, const: code } = properties?.['code'] ?? {}
  const here = codes ?? (code === undefined ? [] : [code])
  return [...(here as string[]), ...allOf.flatMap(listCodes)]
}

function renderSamples(operation: Operation): Html {
  return html`<h2>Samples</h2>
    ${writeSamples(operation).map(
      ({ language, code }, at) =>
        html`<details name="sample" class="sample" ${at === 0 ? html`open` : ''}>
          <summary>${language}</summary>
          <pre><code>${code}</code></pre>
        </details>`,
    )}`
}

/** Renders examples, of which the first is open, unless a sample shows it. */
function renderExamples(
  content: [type: string, content: Content][],
  label: string,
  first: 'open' | 'closed' = 'open',
): Html {
  const examples = content.slice(0, 1).flatMap(([, { examples = {} }]) => Object.values(examples))
  return html`${examples.map(
    ({ summary, value }, at) =>
      html`<details class="sample" ${at === 0 && first === 'open' ? html`open` : ''}>
        <summary>${label}${summary === undefined ? '' : html`: ${renderText(summary)}`}</summary>
        <pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>
      </details>`,
  )}`
}

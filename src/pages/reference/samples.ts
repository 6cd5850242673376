import type { Operation, Parameter } from './operations.ts'

/** What a sample sends. */
interface SampleRequest {
  method: string
  /** The path and the query. */
  target: string
  /** The headers; `$NAME` stands for a variable of the environment. */
  headers: [name: string, value: string][]
  body: unknown
  answer: 'json' | 'text' | 'stream' | 'file' | 'none'
}

/** Writes how to make a call in each language, as a program that runs as it is, with values of the environment. */
export function writeSamples(operation: Operation) {
  const request = buildRequest(operation)
  return [
    { language: 'curl', code: writeCurl(request) },
    { language: 'TypeScript', code: writeTypeScript(request) },
    { language: 'Python', code: writePython(request) },
  ]
}

const CREDENTIALS: Record<string, SampleRequest['headers']> = {
  apiId: [['x-api-id', '$API_ID']],
  apiKey: [['x-api-key', '$API_KEY']],
  bearer: [['authorization', 'Bearer $API_TOKEN']],
  session: [
    ['cookie', 'session=$SESSION'],
    ['origin', '$API_URL'],
  ],
}

function buildRequest({ method, path, parameters, security, body, answers }: Operation): SampleRequest {
  const [type, content] = body?.content[0] ?? []
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(exampleOf(parameter))}`)
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    exampleOf(parameters.find((parameter) => parameter.name === name)),
  )
  const credentials = security.flatMap((scheme) => CREDENTIALS[scheme]!)
  const [example] = Object.values(content?.examples ?? {})
  return {
    method,
    target: [target, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
    headers: [...credentials, ...(type !== undefined && example ? [['content-type', type] as [string, string]] : [])],
    body: example?.value,
    answer: answerOf(answers[0]?.content[0]?.[0]),
  }
}

function exampleOf(parameter: Parameter | undefined) {
  return String(parameter?.example ?? parameter?.schema.examples?.[0] ?? parameter?.schema.default ?? '1')
}

function answerOf(type: string | undefined): SampleRequest['answer'] {
  if (type === undefined) return 'none'
  if (type === 'text/event-stream') return 'stream'
  if (type === 'application/zip') return 'file'
  return type === 'application/json' ? 'json' : 'text'
}

function writeCurl({ method, target, headers, body, answer }: SampleRequest) {
  const options = [
    ...(method === 'GET' ? [] : [`--request ${method}`]),
    ...(answer === 'stream' ? ['--no-buffer'] : []),
    ...(answer === 'file' ? ['--output answer.zip'] : []),
    ...headers.map(([name, value]) => `--header "${name}: ${value}"`),
    ...(body === undefined ? [] : [`--data '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`]),
  ]
  return [`curl "$API_URL${target}"`, ...options].join(' \\\n  ')
}

const TS_ANSWERS = {
  json: 'console.log(response.status, await response.json())',
  text: 'console.log(response.status, await response.text())',
  stream: 'for await (const chunk of response.body!) process.stdout.write(chunk)',
  file: "await writeFile('answer.zip', await response.bytes())\nconsole.log(response.status)",
  none: 'console.log(response.status)',
}

function writeTypeScript({ method, target, headers, body, answer }: SampleRequest) {
  const fill = (text: string) => {
    const filled = text.replaceAll(/\$(\w+)/g, '${process.env.$1}')
    return filled === text ? `'${text}'` : `\`${filled}\``
  }
  const names = headers.map(([name, value]) => `    ${/^[a-z]+$/.test(name) ? name : `'${name}'`}: ${fill(value)},`)
  const json = body === undefined ? [] : [`  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), '  ')}),`]
  return [
    ...(answer === 'file' ? ["import { writeFile } from 'node:fs/promises'", ''] : []),
    `const response = await fetch(${fill(`$API_URL${target}`)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(names.length > 0 ? ['  headers: {', ...names, '  },'] : []),
    ...json,
    '})',
    TS_ANSWERS[answer],
  ].join('\n')
}

const PYTHON_ANSWERS = {
  json: 'print(response.status_code, response.json())',
  text: 'print(response.status_code, response.text)',
  stream: 'for line in response.iter_lines():\n    print(line.decode())',
  file: 'with open("answer.zip", "wb") as file:\n    file.write(response.content)\nprint(response.status_code)',
  none: 'print(response.status_code)',
}

function writePython({ method, target, headers, body, answer }: SampleRequest) {
  const fill = (text: string) => {
    const [before = '', variable] = text.split('$')
    const value = variable === undefined ? '' : `os.environ["${variable}"]`
    return before === '' ? value : `"${before}"${value === '' ? '' : ` + ${value}`}`
  }
  const names = headers.map(([name, value]) => `        "${name}": ${fill(value)},`)
  // Requests writes the type of JSON itself, but not that of a merge patch.
  const json = body === undefined ? [] : [`    json=${indent(writePythonValue(body), '    ')},`]
  return [
    'import os',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    os.environ["API_URL"] + "${target}",`,
    ...(names.length > 0 ? ['    headers={', ...names, '    },'] : []),
    ...json,
    ...(answer === 'stream' ? ['    stream=True,'] : []),
    ')',
    PYTHON_ANSWERS[answer],
  ].join('\n')
}

const PYTHON_WORDS: Record<string, string> = { true: 'True', false: 'False', null: 'None' }

/** Writes JSON as Python does, with a comma after each item. No string of JSON has a line break. */
function writePythonValue(value: unknown) {
  return JSON.stringify(value, null, 4)
    .replaceAll(/(?<=[^[{,])\n/g, ',\n')
    .replaceAll(/(?<= )(?:true|false|null)(?=,?$)/gm, (word) => PYTHON_WORDS[word]!)
}

/** Indents all lines but the first. */
function indent(text: string, by: string) {
  return text.replaceAll('\n', `\n${by}`)
}

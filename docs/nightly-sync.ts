import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { paths } from '@employee-ledger/client'

/*
 * Makes the employees match the file of an HR system, apart from rows that can't be applied, and prints one line to mail.
 * It needs Node.js 24, this file, and nothing else:
 *
 *     API_URL=https://ledger.example API_TOKEN=el_user_… node nightly-sync.ts staff.csv --at-most 25
 *
 * The token needs the scope `uploads:write`. What the columns mean is chosen once, on the page Upload file, by the
 * administrator whose token it is; or it comes from `--map`, a file with the answer of `GET …/uploads/{id}/mapping`.
 *
 * Exit codes: 0 if every row was applied; 1 if some rows or the whole file wait for a person, and the line says where;
 * 2 for a wrong option, setting, or token; 3 if the service did not answer, or can't yet: run it again. What is applied
 * already is then unchanged.
 */

type Upload = paths['/admin/v1/uploads/{id}']['get']['responses'][200]['content']['application/json']
type Missing = paths['/admin/v1/uploads/{id}/missing']['put']['responses'][200]['content']['application/json']

/** What a system has begun to write otherwise, as the service sees beside what is stored. */
const CHANGES = new Set<string>(['exchanged_dates', 'respelled_ids', 'other_people', 'exchanged_columns'])

const USAGE = `Usage: API_URL=… API_TOKEN=… node nightly-sync.ts FILE [options]
  --at-most N      deactivate the people who are not in the file if they are at most N (default: nobody)
  --encoding NAME  the encoding of a text file, such as windows-1252
  --sheet NAME     the sheet of a workbook
  --header-row N   the line that names the columns
  --map FILE       what the columns mean`

class RefusedError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function syncFile(service: string, token: string, file: string, options: Record<string, string | undefined>) {
  const { 'at-most': limit = '0', map, ...answers } = options
  if (!/^\d+$/.test(limit)) throw new TypeError('--at-most must be a whole number')
  const call = async (method: string, path: string, body?: Buffer<ArrayBuffer>, type = 'application/octet-stream') => {
    const headers = {
      authorization: `Bearer ${token}`,
      'user-agent': 'nightly-sync',
      ...(body && { 'content-type': type }),
    }
    const answer = await fetch(new URL(`/admin/v1/uploads${path}`, service), { method, headers, ...(body && { body }) })
    if (answer.status < 400) return answer
    throw new RefusedError(answer.status, explain(await answer.text()))
  }
  const query = new URLSearchParams({ file_name: basename(file) })
  for (const [name, value = ''] of Object.entries(answers)) query.set(name.replace('-', '_'), value)
  const { id } = (await (await call('POST', `?${query.toString()}`, await readFile(file))).json()) as Upload
  const page = new URL(`/settings/bulk-user-logs/upload/${id}`, service).href
  if (map !== undefined) await call('PUT', `/${id}/mapping`, await readFile(map), 'application/json')
  const settle = async (): Promise<Upload> => {
    const upload = (await (await call('GET', `/${id}`)).json()) as Upload
    if (upload.state !== 'previewing' && upload.state !== 'applying') return upload
    return pause(1_000).then(settle)
  }
  const preview = await settle()
  const { needs_review: isNew, questions } = preview
  if (isNew || questions.length > 0) {
    const open = [...new Set(questions.map(({ about }) => about))].join(', ')
    const changes = preview.left_out.filter(({ reason }) => CHANGES.has(reason)).map(({ message }) => `${message}. `)
    const look = changes.length === 0 ? 'Say what its columns mean' : 'Look at it'
    const todo = open === '' ? look : `Answer its questions (${open})`
    return { text: `${preview.summary.text}. ${changes.join('')}${todo}: ${page}`, exitCode: 1 }
  }

  const atMost = Number(limit)
  let [deactivate, beside, kept] = [0, 0, '']
  if (atMost > 0) {
    try {
      const { count, active, beside: others } = (await (await call('PUT', `/${id}/missing`)).json()) as Missing
      // All who leave in a day share the limit, unless they are at most one in ten.
      const isMany = count > atMost || count + others > Math.max(atMost, active / 10)
      deactivate = isMany ? 0 : count
      beside = others
      const also = others > 0 ? `, ${others} deactivated otherwise` : ''
      if (isMany) kept = `; ${count} not in the file${also}, more than ${atMost}: none deactivated`
    } catch (error) {
      // Rows with errors may be those of people who then seem to be missing.
      if (!(error instanceof RefusedError) || error.status !== 409) throw error
      kept = '; nobody deactivated, because rows have errors'
    }
    if (kept !== '') await call('DELETE', `/${id}/missing`)
  }
  await call('POST', `/${id}/apply?all_or_none=false&deactivate=${deactivate}&beside=${beside}`)
  const { state, summary } = await settle()
  const isDone = state === 'ended' && summary.applied === summary.rows && kept === ''
  return { text: `${summary.text}${kept}${isDone ? '' : `. See ${page}`}`, exitCode: isDone ? 0 : 1 }
}

/** Returns what a refusal says: its text, the errors, and the values to choose from. */
function explain(body: string): string {
  if (!body.startsWith('{')) return body.slice(0, 200)
  const { detail, errors = [], question } = JSON.parse(body)
  const choices = question?.choices.map(
    ({ value, samples = [] }: { value: string; samples?: string[] }) =>
      `\n  --${question.parameter.replace('_', '-')} '${value}'  ${samples.join(', ')}`,
  )
  return [detail, ...errors.map(({ message }: { message: string }) => `\n  ${message}`), ...(choices ?? [])].join('')
}

function findExitCode(error: unknown): number {
  // What the network does to a request is the cause of its error.
  if (!(error instanceof RefusedError)) return error instanceof Error && error.cause !== undefined ? 3 : 2
  if (error.status === 413 || error.status === 422) return 1
  return error.status >= 500 || error.status === 409 || error.status === 429 ? 3 : 2
}

try {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'at-most': text, encoding: text, sheet: text, 'header-row': text, map: text },
  })
  const { API_URL: service, API_TOKEN: token } = process.env
  const [file] = positionals
  if (!service || !token || file === undefined || positionals.length > 1) throw new TypeError(USAGE)
  const { text: line, exitCode } = await syncFile(service, token, file, values)
  console.log(line)
  process.exitCode = exitCode
} catch (error) {
  const { message, cause } = error as Error
  console.error(cause instanceof Error ? `The service did not answer: ${cause.message || message}` : message)
  process.exitCode = findExitCode(error)
}

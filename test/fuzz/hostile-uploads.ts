import { hostileFiles } from '../support/files/hostile-files.ts'
import { hostileWorkbooks } from '../support/files/hostile-workbooks.ts'
import { browse } from '../support/http/sessions.ts'
import type { Service } from '../support/service.ts'
import { employee, send } from '../support/service.ts'
import type { Promised } from './judge-ledger.ts'
import type { World } from './world.ts'

/** Files of a batch, and the bytes of each at most. The long test of `test/fairness` sends larger ones. */
const FILES = 4
const MAX_BYTES = 262_144

const SHAPES = [...hostileFiles(MAX_BYTES), ...hostileWorkbooks().filter(({ content }) => content.length <= MAX_BYTES)]

/**
 * Uploads files of hostile shapes, through the API and the page, while another company's client makes calls. Each file is
 * stored or refused with a problem, and each call answered. Returns what is wrong.
 */
export async function uploadHostileFiles(
  { address, company: good }: Service,
  { credentials }: World,
  seed: number,
): Promise<string[]> {
  const found: string[] = []
  for (let at = 0; at < FILES; at += 1) {
    const { name, type, content } = SHAPES[(seed * FILES + at) % SHAPES.length]!
    const upload = new FormData()
    upload.set('file', new Blob([new Uint8Array(content)]), 'staff.csv')
    const { cookie, ...headers } = Object.fromEntries(credentials('admin session')) as Record<string, string>
    const [api, page, call] = await Promise.all([
      send(address, 'POST', '/admin/v1/uploads', {
        key: null,
        headers: { ...Object.fromEntries(credentials('admin')), 'content-type': type },
        body: content,
      }),
      browse({ address }, '/settings/bulk-user-logs/upload', { cookie: cookie!, headers, upload }),
      send(address, 'GET', '/v1/auth/verify', { key: good.key }),
    ])
    const isExpected = [201, 303, 422].includes(api.status) || api.body.code === 'too_many_uploads'
    if (!isExpected) found.push(`a file of ${name} is answered with ${api.status} ${JSON.stringify(api.body)}`)
    if (![303, 409, 422].includes(page.status)) found.push(`a form with ${name} is answered with ${page.status}`)
    if (call.status !== 200) found.push(`a call of another company, while ${name} is read: ${call.status}`)
  }
  return found
}

/** Calls that a correction says it corrects, beside one that failed. */
const OTHERS = ['{{log}}', '{{their-log}}', 'log_0000000000000000000000000A', 'log_', "'", '\u202e', '{{key}}']

/**
 * Corrects a refused call at once, before its entry is in the log, with files that name it in several ways. Each is
 * applied, and in the end the entry says so. Returns what is wrong.
 */
export async function correctAtOnce(
  service: Service,
  { company, credentials, fill }: World,
  { calls }: Pick<Promised, 'calls'>,
): Promise<string[]> {
  const found: string[] = []
  const people = [employee(), employee()]
  const manage = (method: string, path: string, type?: string, body?: string) =>
    send(service.address, method, `/admin/v1${path}`, {
      key: null,
      headers: { ...Object.fromEntries(credentials('admin')), ...(type ? { 'content-type': type } : {}) },
      body,
    })
  const refused = await service.call('POST', '/v1/employees', {
    key: company.key,
    body: [{ ...people[0], phone: '1' }, people[1]],
  })
  const id = refused.body.log_id as string
  calls.set(id, refused.status)
  const named = (names: readonly string[]) => `&corrects=${encodeURIComponent(fill(names.join(',')))}`
  const header = ['log_id', 'index', ...Object.keys(people[0]!)].join(',')
  const rowOf = (index: number, person = people[index]!) => [id, index, ...Object.values(person)].join(',')
  const files: [query: string, type: string, content: string][] = [
    ['', 'text/csv', `${header}\n${rowOf(0)}`],
    ['', 'text/csv', `${header}\n${rowOf(1)}\n${rowOf(999_999_999_999, employee())}`],
    [named([id, ...OTHERS]), 'text/csv', `${header}\n${rowOf(0)}\n${rowOf(1)}`],
    [named([...OTHERS, id, id]), 'application/json', JSON.stringify(people)],
  ]
  await Promise.all(
    files.map(async ([query, type, content]) => {
      const stored = await manage('POST', `/uploads?operation=upsert${query}`, type, content)
      if (stored.status !== 201) {
        const isExpected = [400, 422].includes(stored.status) || stored.body.code === 'too_many_uploads'
        if (!isExpected) found.push(`a correction is answered with ${stored.status} ${JSON.stringify(stored.body)}`)
        return
      }
      if (!stored.body.corrects.includes(id)) found.push(`a correction does not name ${id}`)
      const applied = await manage('POST', `/uploads/${stored.body.id}/apply`)
      if (applied.status !== 200) found.push(`applying a correction is answered with ${applied.status}`)
      else for (const { state, log_id: part } of applied.body.parts) calls.set(part, state === 'applied' ? 200 : 422)
    }),
  )
  await service.project(company.id)
  const { body: entry } = await manage('GET', `/bulk-user-logs/${id}`)
  if (entry.correction?.state !== 'corrected')
    found.push(`the corrected entry ${id} says ${JSON.stringify(entry.correction)}`)
  return found
}

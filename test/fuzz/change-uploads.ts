import fc from 'fast-check'
import { CUSTOM_TYPES, DATE_ORDERS, MANAGER_KEYS, NAME_RULES, TARGETS } from '../../src/spreadsheets/mapping/mapping.ts'
import { rowOf, workbookOf } from '../support/files/hostile-workbooks.ts'
import type { Service } from '../support/service.ts'
import { send } from '../support/service.ts'
import { hostileText } from './hostile-text.ts'
import type { Promised } from './judge-ledger.ts'
import type { World } from './world.ts'

/* Files of people whose mappings, leavers, and applications are changed at once. */

const HEADER = ['Personnel No', 'Name', 'E-Mail', 'Manager', 'Status', 'Entry', 'Phone']
const CELLS: readonly (readonly string[])[] = [
  ['E-1', 'E-9', 'N-1', 'N-2', '007', ''],
  ['Ana Perez', 'Perez, Ana', 'Иванов Пётр Сергеевич', '佐藤 一郎', 'Cher', ''],
  ['ana@example.com', 'n1@example.com', 'N1@EXAMPLE.COM', 'x', ''],
  ['Ana Perez', 'Ana Perez (E-1)', 'E-9', 'nobody', 'ana@example.com', ''],
  ['Active', 'Left', 'On leave', '0', 'constructor', ''],
  ['03.04.2019', '2019-02-30', '0000-00-00', '43831', ''],
  ['+49 30 1234567', '030 1234567', '12', '4.9E+12', ''],
]

const column = fc.record(
  {
    to: fc.option(fc.constantFrom(...TARGETS)),
    name: fc.oneof(fc.constantFrom('a', '__proto__', ''), hostileText),
    type: fc.constantFrom(...CUSTOM_TYPES),
    dates: fc.option(fc.constantFrom(...DATE_ORDERS)),
    words: fc.dictionary(fc.constantFrom('On leave', '__proto__', 'x'), fc.constantFrom('active', 'inactive', null)),
    names: fc.option(fc.constantFrom(...NAME_RULES)),
    by: fc.option(fc.constantFrom(...MANAGER_KEYS)),
    empty_cells: fc.constantFrom('keep', 'clear'),
  },
  { requiredKeys: ['to'] },
)
const mapping = fc
  .record(
    {
      columns: fc.tuple(...HEADER.map(() => column)),
      empty_cells: fc.constantFrom('keep', 'clear'),
      unreadable_values: fc.constantFrom('refuse', 'leave_out'),
      shared_emails: fc.constantFrom('refuse', 'leave_out'),
      past_end_dates: fc.constantFrom('keep', 'deactivate', null),
      country: fc.constantFrom('DE', 'company', 'XX', null),
    },
    { requiredKeys: ['columns'] },
  )
  .map(({ columns, ...others }) => ({ ...others, columns: columns.map((one, at) => ({ header: HEADER[at], ...one })) }))

type Step = readonly [method: string, path: string, body?: object]
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: mapping.map((body): Step => ['PUT', '/mapping', body]) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Step[]>(
      ['PUT', '/missing'],
      ['DELETE', '/missing'],
      ['GET', '/missing'],
      ['GET', '/parts/1/preview'],
      ['GET', '/parts/2/preview'],
      ['GET', '/not-applied.csv'],
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('', 'true', 'false'), fc.constantFrom('', '0', '1', '2', '-1', '1e9'))
      .map(([whole, count]): Step => {
        const choices = [whole && `all_or_none=${whole}`, count && `deactivate=${count}`]
        return ['POST', `/apply?${choices.filter((text) => text !== '').join('&')}`]
      }),
  },
  { weight: 1, arbitrary: fc.constant<Step>(['POST', '/cancel']) },
)
const file = fc.record({
  rows: fc.array(fc.tuple(...CELLS.map((cells) => fc.constantFrom(...cells))), { minLength: 1, maxLength: 5 }),
  isWorkbook: fc.boolean(),
  steps: fc.array(step, { minLength: 3, maxLength: 9 }),
})

/** Files of a batch. */
const FILES = 3
const EXPECTED = new Set([200, 204, 400, 404, 409, 422, 429])

/** Uploads files, and changes and applies each of them by several requests at once. Returns what is wrong. */
export async function changeAtOnce(
  { address }: Service,
  { credentials }: World,
  { calls }: Pick<Promised, 'calls'>,
  seed: number,
): Promise<string[]> {
  const found: string[] = []
  const manage = (method: string, path: string, body?: object | Buffer, type = 'application/json') =>
    send(address, method, `/admin/v1/uploads${path}`, {
      key: null,
      headers: { ...Object.fromEntries(credentials('admin')), ...(body ? { 'content-type': type } : {}) },
      body,
    })
  for (const { rows, isWorkbook, steps } of fc.sample(file, { seed, numRuns: FILES })) {
    const table = [HEADER, ...rows]
    const content = isWorkbook
      ? workbookOf(table.map((cells, at) => rowOf(at + 1, cells)).join(''))
      : Buffer.from(table.map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\n'))
    const made = await manage('POST', '?file_name=staff', content, 'application/octet-stream')
    if (made.status !== 201) {
      if (made.body.code !== 'too_many_uploads') found.push(`a file is answered with ${made.status}`)
      continue
    }
    const answers = await Promise.all(
      steps.map(async ([method, path, body]) => ({
        method,
        path,
        ...(await manage(method, `/${made.body.id}${path}`, body)),
      })),
    )
    for (const { method, path, status, body } of answers)
      if (!EXPECTED.has(status))
        found.push(`${method} ${path} of a file is answered with ${status} ${JSON.stringify(body)}`)
    const { body: upload } = await manage('GET', `/${made.body.id}`)
    for (const { state, log_id: id } of upload.parts ?? [])
      if (state === 'applied' || (state === 'refused' && id !== null)) calls.set(id, state === 'applied' ? 200 : 422)
  }
  return found
}

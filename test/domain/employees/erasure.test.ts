import fc from 'fast-check'
import t from 'tap'
import type { PersonNames } from '../../../src/domain/erasure.ts'
import { fileNamesPerson, mentionsPerson, textNamesPerson } from '../../support/domain/names-person.ts'
import {
  buildErasingEvents,
  emptyNames,
  mentionsPerson as searchRecord,
  POSITIONS_PER_EVENT,
  textNamesPerson as searchText,
} from '../../../src/domain/erasure.ts'

const ID = 'emp_01m7wqmfakeh492yss9pa6yb7t'
const OTHER = 'emp_01m7wqmfakeh492yss9pa6yb7v'
const ANA: PersonNames = {
  ids: new Set([ID]),
  emails: new Set(['ana@x.com', 'ana.old@x.com']),
  externalIds: new Set(['7', ' 8 ']),
  userNames: new Set(),
  directoryIds: new Set(),
}

const rejected = (record: unknown, more: object = {}) => ({
  locator: null,
  employee_id: null,
  errors: [],
  record,
  ...more,
})

const SPEAKS: [string, unknown, object?][] = [
  ['is theirs', {}, { employee_id: ID }],
  ['is located by their id', {}, { locator: { id: ID } }],
  ['has their address', { email: 'ana@x.com' }],
  ['has an address that they had before, in another spelling', { email: ' ANA.Old@X.com' }],
  ['has their address in full-width letters', { email: 'ａｎａ＠x.com' }],
  ['has their address in the wrong field', { mail: 'ana@x.com' }],
  ['has their address deep inside', { custom_attributes: { a: { b: ['x', 'ana@x.com'] } } }],
  ['has their address as the name of a field', { 'ana@x.com': 1 }],
  ['has their address within a text', { job_title: 'was <ana@x.com>.' }],
  ["has their address after somebody else's", { job_title: 'joana@x.com, ana@x.com' }],
  ['names them as manager', { manager_email: 'ana@x.com' }],
  ['has their id within a text', { job_title: `see ${ID}` }],
  ['has their external id', { external_id: '7' }],
  ['has their external id as a number', { external_id: 7 }],
  ['has their external id with white space', { external_id: '7 ' }],
  ['has their external id, which has white space', { external_id: ' 8 ' }],
  ['is located by their external id', 'x', { locator: { external_id: '7' } }],
  ['names them as manager by external id', { manager_external_id: '7' }],
  ['has their external id in the field of any other identifier', { manager_id: '7' }],
  ['has their external id within an object', { employee: { external_id: 7 } }],
  ['is located by their external id as an id', 'x', { locator: { id: '7' } }],
  ['is a bare text', 'ana@x.com'],
  ['has their address as JSON escapes it', { note: String.raw`{"to":"ana\u0040x.com"}` }],
  ['has their address as JSON within JSON escapes it', { note: String.raw`"{\"to\":\"ana\\u0040x.com\"}"` }],
  ['has their address as addresses of the web encode it', { note: 'mailto:ana%40x.com' }],
  ['has their address encoded twice', { note: 'ana%2540x.com' }],
]
for (const [name, record, more] of SPEAKS) {
  await t.test(`a refused record that ${name} mentions the person`, async (t) => {
    t.ok(mentionsPerson(rejected(record, more), ANA))
  })
}

const SILENT: [string, unknown, object?][] = [
  ['is of somebody else', { email: 'bo@x.com', external_id: '8' }, { employee_id: OTHER, locator: { id: OTHER } }],
  ['has an address that ends like theirs', { email: 'joana@x.com' }],
  ['has an address that begins like theirs', { email: 'ana@x.com.br' }],
  ['has their external id where none is expected', { employee_number: '7', custom_attributes: { grade: '7' } }],
  ['could not be read', null],
]
for (const [name, record, more] of SILENT) {
  await t.test(`a refused record that ${name} does not`, async (t) => {
    t.notOk(mentionsPerson(rejected(record, more), ANA))
  })
}

/** An external id in composed letters. */
const JURGEN: PersonNames = { ...emptyNames(), externalIds: new Set(['J\u00fcrgen-7']) }
const DECOMPOSED = 'Ju\u0308rgen-7'

await t.test('an unreadable body names a person by an external id, however its letters are composed', async (t) => {
  const sent = [DECOMPOSED, String.raw`Ju\u0308rgen-7`, String.raw`J\u00fcrgen-7`, encodeURIComponent(DECOMPOSED)]
  for (const id of sent) t.ok(textNamesPerson(`[{"external_id":"${id}"`, JURGEN), id)
  const asOnce = { ...JURGEN, externalIds: new Set([DECOMPOSED]) }
  t.ok(textNamesPerson('[{"external_id":"J\u00fcrgen-7"', asOnce), 'an id that 1.0.0 stored as it was sent')
  t.notOk(textNamesPerson('[{"external_id":"Jurgen-7"', JURGEN))
  t.notOk(textNamesPerson('[{"external_id":"7\u0323"', ANA), 'a letter with a mark is another letter')
})

await t.test('the name of a file names a person by an external id, however its letters are composed', async (t) => {
  t.ok(fileNamesPerson(`${DECOMPOSED}.csv`, JURGEN))
  t.ok(fileNamesPerson(`staff ${encodeURIComponent(DECOMPOSED)}.xlsx`, JURGEN))
  t.notOk(fileNamesPerson('Jurgen-7.csv', JURGEN))
})

await t.test('a plain text names the same people as one with another letter, which is read in more ways', (t) => {
  const parts = [
    ID.toUpperCase(),
    'Ana@X.com',
    'joana@x.com',
    'ana@x.com.br',
    '7',
    '77',
    'JoA',
    'joan',
    ' ',
    '\n',
    '"',
    ',',
  ]
  const person = { ...ANA, userNames: new Set(['joa']), externalIds: new Set(['7', 'JoA', '\uff17']) }
  const texts = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((some) => some.join(''))
  const isAlike = fc.property(texts, (text) => {
    const longer = `${text} \u00e9`
    if (textNamesPerson(text, person) !== textNamesPerson(longer, person)) return false
    return mentionsPerson(rejected({ note: text }), person) === mentionsPerson(rejected({ note: longer }), person)
  })
  t.doesNotThrow(() => fc.assert(isAlike, { numRuns: 300 }))
  t.end()
})

await t.test('a text of only marks is searched in linear time', async (t) => {
  for (const marks of ['\u0308\u0323', `${'\u0308'.repeat(30)}\uff9e`]) {
    const text = marks.repeat(2_000_000 / marks.length)
    t.notOk(textNamesPerson(text, { ...JURGEN, emails: ANA.emails }))
    t.notOk(mentionsPerson(rejected({ external_id: text }), { ...JURGEN, emails: ANA.emails }))
  }
})

await t.test('a text of only e-mail addresses is searched in linear time', async (t) => {
  t.notOk(mentionsPerson(rejected('ana@x.comx'.repeat(200_000)), ANA))
})

await t.test('an erasure of many positions is split into as many events as needed', async (t) => {
  const positions = Array.from({ length: POSITIONS_PER_EVENT + 1 }, (_, at) => at + 1)
  const events = buildErasingEvents('EmployeeErased', ID, 4, positions)
  t.strictSame(
    events.map(({ version, data }) => [version, data.positions.length]),
    [
      [4, POSITIONS_PER_EVENT],
      [5, 1],
    ],
  )
  t.strictSame(
    events.flatMap(({ data }) => data.positions),
    positions,
  )
  t.strictSame(buildErasingEvents('EmployeeErased', ID, 4, []), [])
})

await t.test('somebody who had very many names is looked for in pieces', async (t) => {
  const names = { ...emptyNames(), externalIds: new Set(Array.from({ length: 5_000 }, (_, at) => `E-${at}`)) }
  for (const search of [searchText('nobody', names), searchRecord(rejected({ email: 'nobody' }), names)]) {
    let pieces = 0
    for (const _ of search) pieces += 1
    t.ok(pieces > 100)
  }
})

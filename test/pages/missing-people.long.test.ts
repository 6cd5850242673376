import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { startService } from '../support/service.ts'
import { roomBeside } from '../../src/uploads/missing-people.ts'

/* The people who are not in an uploaded file: the page lists them, and asks for their number if they are many. */

const service = await startService(t, {}, { workers: true })
const { company } = service
const cookie = await cookieOf(service, company.admin)
const PATH = '/settings/bulk-user-logs/upload'

const wordsOf = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
async function open(path: string) {
  const answer = await browse(service, path, { cookie })
  return { ...answer, path: path.replace(/[?#].*$/, ''), words: wordsOf(answer.text) }
}
async function press(path: string, form: Record<string, string> = {}) {
  const answer = await browse(service, path, { cookie, form })
  return answer.location === null ? { ...answer, path: '', words: wordsOf(answer.text) } : open(answer.location)
}
async function send(content: string, operation = 'upsert') {
  const upload = new FormData()
  upload.set('operation', operation)
  upload.set('file', new Blob([content]), 'staff.csv')
  return open((await browse(service, PATH, { cookie, upload })).location!)
}

const HEADER = 'external_id,first_name,last_name,email'
const fileOf = (first: number, count: number) =>
  [HEADER, ...Array.from({ length: count }, (_, at) => line(first + at))].join('\n')
const line = (at: number) => `N-${at},Ana,No${at},n${at}@example.com`

async function apply(path: string, form: Record<string, string> = {}) {
  const pressed = await press(`${path}/apply`, form)
  if (pressed.path === '') return pressed
  return eventually('the file is applied', async () => {
    const page = await open(path)
    return /applied/.test(page.text.match(/<h1>(.*?)<\/h1>/s)?.[1] ?? '') ? page : null
  })
}

async function listActive(): Promise<number> {
  await service.project()
  return (await service.call('GET', '/v1/employees?status=active&limit=200')).body.items.length
}

await apply((await send(fileOf(0, 120))).path)
const FIND = 'Deactivate the people who are not in this file'

await t.test('nobody is deactivated unless a button is pressed that lists them', async (t) => {
  t.equal(await listActive(), 120)
  const preview = await send(fileOf(2, 118))
  t.match(preview.words, FIND)
  t.match(preview.words, 'Apply 118 records ')
  t.equal((await apply(preview.path)).status, 200)
  t.equal(await listActive(), 120)
  t.notMatch((await send(fileOf(200, 1), 'create')).words, FIND)
})

await t.test('they are listed by name, and can be kept', async (t) => {
  const { path } = await send(fileOf(2, 118))
  const listed = await press(`${path}/missing`)
  t.match(listed.words, 'Apply 118 records and deactivate 2 people')
  t.match(listed.words, /Not in this file 2 people will be deactivated once all rows are applied/)
  t.match(listed.words, /Ana No0 N-0 n0@example\.com Ana No1 N-1 n1@example\.com/)
  t.match(listed.words, /118 Created|Created 0 Changed 0 Unchanged 118/, 'counts are about the rows of the file')
  t.match(listed.words, '2 people not in the file')
  t.match(listed.text, '<input type="hidden" name="deactivate" value="2" />')
  const kept = await press(`${path}/keep-missing`)
  t.match(kept.words, FIND)
  t.match(kept.words, 'Apply 118 records ')
  await press(`${path}/missing`)
  t.match(await apply(path), { status: 409, words: /2 people who are not in the file would be deactivated, not 0/ })
  const applied = await apply(path, { deactivate: '2' })
  t.match(applied.words, /118 of 118 rows were applied\./)
  t.equal(applied.text.match(/Open its entry/g)?.length, 2)
  t.equal(await listActive(), 118)
  t.match((await press(`${(await send(fileOf(2, 118))).path}/missing`)).words, 'Every active person is in the file')
})

await t.test(
  'two files at once share the tenth: who looked before the other was applied has to look again',
  async (t) => {
    const { path: one } = await send(fileOf(11, 109))
    const { path: other } = await send(fileOf(11, 109))
    t.match((await press(`${one}/missing`)).text, 'type="hidden" name="deactivate" value="9"')
    t.match((await press(`${other}/missing`)).text, 'type="hidden" name="deactivate" value="9"')
    const form = { deactivate: '9', beside: '2' }
    const answers = await Promise.all([press(`${one}/apply`, form), press(`${other}/apply`, form)])
    t.strictSame(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
    const left = answers[0].status === 409 ? one : other
    t.match(
      (await open(left)).words,
      /9 people of 118 .*one in ten, together with 11 people from other files and API keys/,
    )
    await eventually('the first is applied', async () => (await listActive()) === 109)
    await service.call('PATCH', '/v1/employees', {
      body: Array.from({ length: 9 }, (_, at) => ({ external_id: `N-${at + 2}`, status: 'active' })),
    })
    await service.pool.query('delete from uploads')
    t.equal(await listActive(), 118)
  },
)

await t.test('if they are more than one in ten, their number is typed', async (t) => {
  const hidden = (count: number) => `<input type="hidden" name="deactivate" value="${count}" />`
  t.match((await press(`${(await send(fileOf(13, 107))).path}/missing`)).text, hidden(11))
  t.match(
    (await press(`${(await send(fileOf(14, 106))).path}/missing`)).words,
    /12 people of 118 .*more than one in ten/,
  )
  t.equal(roomBeside({ count: 12, active: 120 }), 0)
  const { path } = await send(fileOf(2, 13))
  const listed = await press(`${path}/missing`)
  t.match(listed.words, /105 people of 118 who are active would be deactivated. That is more than one in ten/)
  t.match(listed.text, /<input id="deactivate" name="deactivate" [^>]*required/)
  t.notMatch(listed.text, 'type="hidden" name="deactivate"')
  const more = listed.text.match(/href="(\?missing=\d+)[^"]*" rel="next"|rel="next" href="(\?missing=\d+)/)
  const next = await open(`${path}${more?.[1] ?? more?.[2]}`)
  t.match(next.words, 'Ana No65 ')
  t.notMatch(next.words, 'Ana No15 ')
  t.equal((await apply(path, { deactivate: '15' })).status, 409)
  t.equal(await listActive(), 118)
  t.equal((await apply(path, { deactivate: ' 105 ' })).status, 200)
  t.equal(await listActive(), 13)
})

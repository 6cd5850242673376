import t from 'tap'
import { cookieOf, browse } from '../../support/http/sessions.ts'
import { connectProvider } from '../../support/scim-client.ts'
import { startService } from '../../support/service.ts'

/* Pages of large things are shorter, so that none takes much memory, and lead to the rest. */

const PEOPLE = 40
/** More than the largest part of these pages, whatever it is written in. */
const MOST_BYTES = 8_000_000

const service = await startService(t)
const custom = (letter: string) =>
  Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`k${at}`, letter.repeat(1_000)]))
const people = Array.from({ length: PEOPLE }, (_, at) => ({
  first_name: 'Ana',
  external_id: `E-${at}`,
  custom_attributes: custom('\u{1f600}'),
}))
const { body: created } = await service.call('POST', '/v1/employees', { body: people })
const { body: refused } = await service.call('POST', '/v1/employees', {
  body: people.map((person) => ({ ...person, job_title: 'x'.repeat(60_000), custom_attributes: {}, phone: '1' })),
})
await service.project()

/** Reads all pages of a list. Returns the items, and the number of pages. */
async function readPages(read: (cursor: string) => ReturnType<typeof service.call>) {
  const [items, pages]: [{ id: string; index: number }[], number[]] = [[], []]
  for (let cursor = ''; pages.length <= PEOPLE;) {
    const { status, body } = await read(cursor)
    t.equal(status, 200)
    t.ok(JSON.stringify(body).length < MOST_BYTES)
    pages.push(body.items.length)
    items.push(...body.items)
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
  }
  return { items, pages }
}

await t.test('a list of large employees has all of them on several pages', async (t) => {
  const { items, pages } = await readPages((cursor) => service.call('GET', `/v1/employees?limit=200${cursor}`))
  t.strictSame(
    items.map(({ id }) => id),
    created.employees.map(({ id }: { id: string }) => id),
  )
  t.ok(pages.length > 1)
})

await t.test('so have the lists of changes, in both directions', async (t) => {
  const ids: string[] = created.employees.map(({ id }: { id: string }) => id)
  for (const [order, expected] of [
    ['created&updated_since=2020-01-01T00:00:00Z', ids],
    ['updated_desc', ids.toReversed()],
  ] as const) {
    const { items, pages } = await readPages((cursor) =>
      service.call('GET', `/v1/employees?limit=200&order=${order}${cursor}`),
    )
    t.strictSame(
      items.map(({ id }) => id),
      expected,
    )
    t.ok(pages.length > 1)
  }
})

await t.test('so have lists of SCIM, which say how many users are on a page', async (t) => {
  const idp = await connectProvider(service, 'Provider')
  await service.project()
  for (const filter of ['', 'active eq true', 'userName pr']) {
    const found: string[] = []
    for (let [startIndex, total] = [1, 1]; startIndex <= total;) {
      const query = `count=200&startIndex=${startIndex}&filter=${encodeURIComponent(filter)}`
      const { status, body } = await idp.ask('GET', `/Users?${query}`)
      t.equal(status, 200)
      t.ok(JSON.stringify(body).length < MOST_BYTES / 2)
      t.ok(body.itemsPerPage > 0 && body.itemsPerPage < PEOPLE)
      found.push(...body.Resources.map(({ id }: { id: string }) => id))
      startIndex += body.itemsPerPage
      total = body.totalResults
    }
    t.strictSame(
      found,
      created.employees.map(({ id }: { id: string }) => id),
      filter,
    )
  }
})

await t.test('so have the records of an entry, those that were set and those that were refused', async (t) => {
  for (const { log_id: log } of [created, refused]) {
    const { items, pages } = await readPages((cursor) =>
      service.admin(`/bulk-user-logs/${log}/records?limit=200${cursor}`),
    )
    t.strictSame(
      items.map(({ index }) => index),
      [...people.keys()],
    )
    t.ok(pages.length > 1)
  }
})

await t.test('downloads have all of them', async (t) => {
  const count = async (path: string, pattern: RegExp) => {
    const answer = await fetch(`${service.address}/admin/v1${path}`, {
      headers: { authorization: `Bearer ${service.company.admin.token}` },
    })
    return new Set((await answer.text()).match(pattern)).size
  }
  t.equal(await count('/employees.csv', /emp_[0-9a-z]{26}/g), PEOPLE)
  t.equal(await count(`/bulk-user-logs/${created.log_id}/records.csv`, /\bE-\d+\b/g), PEOPLE)
  t.equal(await count(`/bulk-user-logs/${refused.log_id}/failed-records.csv`, /\bE-\d+\b/g), PEOPLE)
  t.equal(await count(`/bulk-user-logs/${refused.log_id}/failed-records.json`, /"E-\d+"/g), PEOPLE)
})

await t.test('the page of an entry shows the first ones, and leads to the next', async (t) => {
  const cookie = await cookieOf(service, service.company.admin)
  const { text } = await browse(service, `/settings/bulk-user-logs/${created.log_id}`, { cookie })
  t.ok(text.length < MOST_BYTES)
  t.match(text, /rel="next"/)
})

await t.test(
  'the page that asks whether to undo changes shows the first ones, and says how many more there are',
  async (t) => {
    const records = people.map(({ external_id: id }) => ({ external_id: id, custom_attributes: custom('\u{1f601}') }))
    const { body: changed } = await service.call('PATCH', '/v1/employees', { body: records })
    await service.project()
    const cookie = await cookieOf(service, service.company.admin)
    const { text } = await browse(service, `/settings/bulk-user-logs/${changed.log_id}/undo`, { cookie })
    t.ok(text.length < MOST_BYTES / 4)
    t.match(text, `Undo all: ${PEOPLE} people`)
    const [, more] = /and (\d+) more/.exec(text) ?? []
    t.equal(Number(more) + text.match(/\/settings\/employees\/emp_/g)!.length, PEOPLE)
  },
)

import t from 'tap'
import type { EntryFilter } from '../../projections/bulk-user-logs/queries.ts'
import { findLogEntry, listLogEntries } from '../../projections/bulk-user-logs/queries.ts'
import { listLogRecords } from '../../projections/bulk-user-logs/records-queries.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const db = service.db
const { id: company } = service.company

const made = await service.call('POST', '/v1/employees', {
  body: ['Ana', 'Bob', 'Cleo'].map((first_name) => employee({ first_name, last_name: 'Direction' })),
})
const [ana, bob, cleo] = made.body.employees as { id: string; email: string }[]
for (let round = 0; round < 6; round += 1) {
  await service.call('PATCH', `/v1/employees/${[ana, bob, cleo][round % 3]!.id}`, { body: { job_title: `${round}` } })
  await service.call('PATCH', '/v1/employees', {
    body: [{ id: ana!.id, department: `${round}` }, { id: ana!.id }, { id: bob!.id }],
  })
  await service.call('POST', '/v1/employees', { body: employee({ email: cleo!.email }) })
}
await service.project()

const FILTERS: Record<string, EntryFilter> = {
  none: {},
  status: { status: 'Failed' },
  time: { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' },
  'a text that matches everyone': { q: 'direction' },
  'one employee': { employee: bob!.id },
  'an e-mail in refused records': { employee: cleo!.email },
  'both, and a status': { employee: ana!.email, q: 'direction', status: 'Failed' },
  'a text and an operation': { q: 'ana', operation: 'update_one' },
}

for (const [name, filter] of Object.entries(FILTERS)) {
  await t.test(`paging forward gives the same entries as paging back: ${name}`, async (t) => {
    const all = (await listLogEntries(db, company, filter, { before: null, limit: 200 })).entries.toReversed()
    t.ok(all.length > 0)
    for (const limit of [1, 2, 3, 200]) {
      for (const after of [0, ...all.map(({ position }) => position)]) {
        const { entries: newer } = await listLogEntries(db, company, filter, { after, limit })
        t.strictSame(newer, all.filter(({ position }) => position > after).slice(0, limit), `${limit} after ${after}`)
      }
    }
  })
}

await t.test('paging back gives the same records as paging forward', async (t) => {
  const entry = (await findLogEntry(db, company, made.body.log_id))!
  for (const filter of [{}, { q: 'o' }, { status: 'Created' as const }, { status: 'Synced' as const }]) {
    const all = await listLogRecords(db, company, entry, filter, { after: -1, limit: 200 })
    for (const limit of [1, 2, 200]) {
      for (const before of [0, 1, 2, 3]) {
        const found = await listLogRecords(db, company, entry, filter, { before, limit })
        t.strictSame(found, all.filter(({ index }) => index! < before).slice(-limit), `${limit} before ${before}`)
      }
    }
  }
})

import t from 'tap'
import { listLogEntries } from '../../projections/bulk-user-logs/queries.ts'
import { MAX_CORRECTIONS } from '../../src/domain/uploads.ts'
import { readCorrection } from '../../src/ledger/corrections/corrections.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import type { LedgerDb, LedgerTables } from '../../src/ledger/tables.ts'
import { openAppends } from '../support/ledger/appends.ts'
import { uploadCall } from '../support/ledger/calls.ts'
import { employee, startService } from '../support/service.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'

const onePlan = CITUS_URL === undefined ? {} : { skip: 'on Citus, EXPLAIN does not say what the shards read' }

/* Pages stay fast, and links few, however many files a company uploads. */

const UPLOADS = 1_200
const CORRECTING = 100
const PLANS = 'test plans'

const statements = watchStatements(t)
const service = await startService(t)
const { company } = service
const { commit } = openAppends(t, service)
const refused = (await service.call('POST', '/v1/employees', { body: [employee({ phone: '12' })] })).body.log_id
for (let made = 0; made < UPLOADS; made += 100)
  await commit(
    Array.from({ length: 100 }, (_, at) =>
      uploadCall(company, [employee()], { corrects: made + at < UPLOADS - CORRECTING ? [] : [refused] }),
    ),
  )
await service.project()

/** Runs a query, and counts the rows of `events` that it reads with the indexes that there are. */
async function countEvents(run: (db: LedgerDb) => Promise<unknown>) {
  const settings = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' }
  const pool = service.open({ name: PLANS, max: 1, settings })
  const db = openDatabase<LedgerTables>(pool)
  statements.length = 0
  await run(db)
  const sent = statements.filter(({ connection, text }) => connection === PLANS && /^\s*(?:select|with)/i.test(text))
  let count = 0
  for (const { text, values } of sent) {
    const { rows } = await pool.query(`explain (analyze, format json) ${text}`, values)
    count += countIn(rows[0]['QUERY PLAN'][0].Plan)
  }
  await db.destroy()
  return count
}

interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
}

function countIn(plan: Plan): number {
  const own = (plan['Relation Name'] ?? '').startsWith('events') ? plan['Actual Rows'] * plan['Actual Loops'] : 0
  return own + (plan.Plans ?? []).reduce((sum, below) => sum + countIn(below), 0)
}

await t.test('a page of the list reads two events for each upload that it shows', onePlan, async (t) => {
  const shown = 50
  const read = await countEvents(async (db) => {
    const { entries } = await listLogEntries(db, company.id, {}, { before: null, limit: shown })
    t.equal(entries.length, shown)
    t.ok(entries.every(({ entry }) => entry.name === 'File upload' && entry.file?.name === 'staff.csv'))
  })
  t.ok(read >= shown && read <= 4 * (shown + 1), `${read} events`)
})

await t.test('a failed entry leads to the newest uploads that correct it, without reading any other', async (t) => {
  const read = await countEvents(async (db) => {
    const correction = await readCorrection(db, company.id, { id: refused, total: 1, unapplied: 1 })
    t.equal(correction?.by.length, MAX_CORRECTIONS)
  })
  t.equal(read, 0)
  t.equal((await service.admin(`/bulk-user-logs/${refused}`)).body.corrected_by.length, MAX_CORRECTIONS)
})

import { readFileSync } from 'node:fs'
import t from 'tap'
import { buildErasingEvents } from '../../../src/domain/erasure.ts'
import { ERASING_TYPES, EVENT_TYPES, mayErase } from '../../../src/domain/event-types.ts'
import type { EventType } from '../../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { appendCompanyEvents, nextVersion, OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import { exportLines } from '../../support/ledger/export-lines.ts'
import { hasPython, shown, verifyHere, verifyInPython } from '../../support/ledger/both-verifiers.ts'
import { tellStory } from '../../support/ledger/ledger-story.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t)
const companyId = service.company.id
const TYPES = Object.keys(EVENT_TYPES) as EventType[]
const ERASABLE = TYPES.filter((type) => EVENT_TYPES[type].erasedBy)

await t.test('the database erases exactly the types that the program does', async (t) => {
  const { rows } = await service.pool.query<{ prosrc: string }>(
    `select prosrc from pg_proc where oid = 'erase_events(uuid, bigint)'::regprocedure`,
  )
  const lists = [...rows[0]!.prosrc.matchAll(/when '(\w+)' then array\[([^\]]*)\]/g)]
  const inDatabase = Object.fromEntries(lists.map(([, erasing, list]) => [erasing, list!.match(/\w+/g)!.toSorted()]))
  const inProgram = ERASING_TYPES.map((erasing) => [
    erasing,
    TYPES.filter((type) => mayErase(erasing, type)).toSorted(),
  ])
  t.strictSame(inDatabase, Object.fromEntries(inProgram))
})

await t.test('the format of exports lists the same types', (t) => {
  const format = readFileSync('docs/audit-format.md', 'utf8')
  const [, listed = ''] = /5\. Erasure\. Only these types may have null data: ([^.]*)\./.exec(format) ?? []
  t.strictSame(new Set(listed.match(/\w+(?=`)/g)), new Set(ERASABLE))
  t.end()
})

await t.test('personal data of every type can be erased, and both verifiers accept the ledger', async (t) => {
  await tellStory(service)
  const { rows } = await service.pool.query<{ type: EventType; position: number; stream_id: string; actor: string }>(
    'select type, position, stream_id, actor from events where company_id = $1 and type = any($2) and data is not null',
    [toUuid(companyId), ERASABLE],
  )
  for (const [type, events] of Map.groupBy(rows, (row) => row.type)) {
    const erasing = EVENT_TYPES[type].erasedBy!.at(-1)!
    for (const { position, stream_id: uuid, actor } of events) {
      const ofUser = erasing === 'UserErased' && type === 'FileUploaded' ? actor : null
      const stream = erasing === 'RecordsRetired' ? companyId : (ofUser ?? fromUuid(EVENT_TYPES[type].stream, uuid))
      await appendCompanyEvents(service.pool, { companyId, actor: OPERATOR }, async (client) => {
        const version = await nextVersion(client, companyId, stream)
        return { events: buildErasingEvents(erasing, stream, version, [position]), result: null }
      })
    }
  }
  const { rows: erased } = await service.pool.query<{ type: EventType }>(
    'select distinct type from events where company_id = $1 and data is null order by type',
    [toUuid(companyId)],
  )
  t.strictSame(
    erased.map(({ type }) => type),
    ERASABLE.toSorted(),
  )
  const { note, public_key: publicKey } = (await service.audit('/checkpoint')).body
  const bytes = Buffer.from((await exportLines(service.db, companyId)).join(''))
  const whole = { bytes, checkpoints: Buffer.from(note), publicKey }
  const consistent = { verdict: 'consistent', position: null } as const
  t.strictSame(shown(await verifyHere(whole)), consistent)
  if (hasPython()) t.strictSame(await verifyInPython([whole]), [consistent])
})

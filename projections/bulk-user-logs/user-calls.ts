import { sql } from 'kysely'
import type { AnyDb } from '../projection.ts'
import type { FilePart } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'

/** What is known of a call that a user made. */
export interface UserCall {
  /** `name` is null once the user is erased. */
  user: { id: string; name: string | null }
  /** The name of the file; null once it is erased, or if there is none. */
  fileName: string | null
  /** The ids of the failed calls whose records the file corrects. */
  corrects: string[]
  /** The part of the file; null for a whole one, or if there is none. */
  part: FilePart | null
  /** The id of the call that it took back; null if it took back none. */
  undoes: string | null
}

/**
 * Reads the calls of users with these ids, by their id. The read model has none of this: names can be erased, and
 * the events tell the rest.
 */
export async function readUserCalls(db: AnyDb, companyId: string, callIds: string[]): Promise<Map<string, UserCall>> {
  if (callIds.length === 0) return new Map()
  const company = toUuid(companyId)
  const { rows } = await sql<{
    call_id: string
    actor: string
    corrects: string[] | null
    part: FilePart | null
    file_name: string | null
    undoes: string | null
  }>`select c.stream_id as call_id, c.actor, c.data::json -> 'corrects' as corrects, c.data::json -> 'part' as part,
      c.data::json ->> 'undoes' as undoes, f.data::json ->> 'name' as file_name
    from events c left join events f
      on f.company_id = c.company_id and f.stream_id = c.stream_id and f.stream_version = c.stream_version + 1
    where c.company_id = ${company} and c.stream_id = any(${callIds.map(toUuid)}::uuid[])
      and c.type in ('ApiCallCompleted', 'ApiCallFailed')`.execute(db)
  const names = await readUserNames(db, company, [...new Set(rows.map(({ actor }) => actor))])
  return new Map(
    rows.map(({ call_id: uuid, actor, corrects, part, undoes, file_name: fileName }) => [
      fromUuid('log', uuid),
      { user: { id: actor, name: names.get(actor) ?? null }, fileName, corrects: corrects ?? [], part, undoes },
    ]),
  )
}

async function readUserNames(db: AnyDb, company: string, userIds: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ user_id: string; name: string }>`select user_id, name from users
    where company_id = ${company} and user_id = any(${userIds.map(toUuid)}::uuid[]) and name <> ''`.execute(db)
  return new Map(rows.map(({ user_id: uuid, name }) => [fromUuid('usr', uuid), name]))
}

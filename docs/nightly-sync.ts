import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiClient, EmployeeCreate, EmployeeUpsert } from '../clients/typescript/employee-client.ts'

export type Person = EmployeeCreate & { external_id: string }

/**
 * Makes the employees match the HR system. `run` identifies the run: after a failure, run it again with the same `run`.
 * It must be random, because the idempotency keys are derived from it and must not be guessable.
 */
export async function nightlySync(api: ApiClient, people: Person[], run: string) {
  const present = new Set(people.map((person) => person.external_id))
  const leavers = (await activeEmployees(api)).filter((id) => !present.has(id))
  const records: EmployeeUpsert[] = [
    ...people.map((person) => ({ status: 'active' as const, ...person })),
    ...leavers.map((id) => ({ external_id: id, status: 'inactive' as const })),
  ]
  const tally = { created: 0, synced: 0, no_updates: 0, reactivated: 0, deactivated: 0 }
  for (let at = 0; at < records.length; at += 1_000) {
    const body = records.slice(at, at + 1_000)
    const { results } = await repeat(() => api.PUT('/v1/employees', { params: keyed(run, body), body }))
    for (const { result } of results) tally[result] += 1
  }
  return tally
}

async function activeEmployees(api: ApiClient): Promise<string[]> {
  const found: string[] = []
  for (let query: { status: 'active'; limit: number; cursor?: string } = { status: 'active', limit: 200 }; ;) {
    const { items, next_cursor: cursor } = await repeat(() => api.GET('/v1/employees', { params: { query } }))
    for (const { external_id: id } of items) if (id !== null) found.push(id)
    if (cursor === null) return found
    query = { ...query, cursor }
  }
}

/** The same records of the same run get the same key, so that a repeated call has no further effect. */
function keyed(run: string, records: unknown) {
  const digest = createHash('sha256').update(JSON.stringify(records)).digest('hex')
  return { header: { 'Idempotency-Key': `${run}-${digest}` } }
}

type Sent<T> = { data?: T; error?: unknown; response: Response }

/** Retries a call: immediately after a lost connection, otherwise after the delay of Retry-After. */
async function repeat<T>(send: () => Promise<Sent<T>>, tries = 5): Promise<T> {
  const { data, error, response } = await send().catch((error: unknown) => ({ data: undefined, error, response: null }))
  if (data !== undefined) return data
  const canPass = response === null || response.status === 429 || response.status === 503
  if (!canPass || tries === 1) throw new Error('the sync failed', { cause: error })
  await pause(1_000 * Number(response?.headers.get('retry-after') ?? 0))
  return repeat(send, tries - 1)
}

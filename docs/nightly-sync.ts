import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiClient, EmployeeBulkPatch, EmployeeCreate } from '../clients/typescript/employee-client.ts'

export type Person = EmployeeCreate & { external_id: string }

/**
 * Updates the employees to match the HR system. `run` identifies the run: after a failure, run it again with the same
 * `run`. It must be random, because the idempotency keys are derived from it and must not be guessable.
 */
export async function nightlySync(api: ApiClient, people: Person[], run: string) {
  const known = await knownEmployees(api)
  const present = new Set(people.map((person) => person.external_id))
  const [joiners, stayers] = [false, true].map((is) => people.filter((person) => known.has(person.external_id) === is))
  const leavers = [...known].filter(([id, status]) => status === 'active' && !present.has(id)).map(([id]) => id)
  const changes: EmployeeBulkPatch[] = [
    ...stayers!.map((person) => ({ status: 'active' as const, ...person })),
    ...leavers.map((id) => ({ external_id: id, status: 'inactive' as const })),
  ]
  const tally = { created: 0, synced: 0, no_updates: 0, reactivated: 0, deactivated: 0 }
  for (const body of batches(joiners!)) {
    const { employees } = await repeat(() => api.POST('/v1/employees', { params: keyed(run, body), body }))
    tally.created += employees.length
  }
  for (const body of batches(changes)) {
    const { results } = await repeat(() => api.PATCH('/v1/employees', { params: keyed(run, body), body }))
    for (const { result } of results) tally[result] += 1
  }
  return tally
}

async function knownEmployees(api: ApiClient): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  for (let query: { limit: number; cursor?: string } = { limit: 200 }; ;) {
    const { items, next_cursor: cursor } = await repeat(() => api.GET('/v1/employees', { params: { query } }))
    for (const { external_id: id, status } of items) if (id !== null) known.set(id, status)
    if (cursor === null) return known
    query = { ...query, cursor }
  }
}

const batches = <T>(all: T[], size = 1_000) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))

/** The same batch of the same run gets the same key, so that a repeated call has no further effect. */
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

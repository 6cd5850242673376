import type { EmployeeClient, EmployeeCreate, EmployeeUpsert } from 'employee-ledger-client'

export type Person = EmployeeCreate & { external_id: string }

/**
 * Makes the employees match the HR system. `run` is a random name of the run: after a failure, run it again with the
 * same people and the same `run`, and no call takes effect twice.
 */
export async function nightlySync(client: EmployeeClient, people: Person[], run: string) {
  const present = new Set(people.map((person) => person.external_id))
  const records: EmployeeUpsert[] = people.map((person) => ({ status: 'active', ...person }))
  for await (const { external_id } of client.employees({ status: 'active' })) {
    if (external_id !== null && !present.has(external_id)) records.push({ external_id, status: 'inactive' })
  }
  const tally = { created: 0, synced: 0, no_updates: 0, reactivated: 0, deactivated: 0 }
  for await (const { results } of client.upsertAll(records, { run })) {
    for (const { result } of results) tally[result] += 1
  }
  return tally
}

import type { CallCounts, Operation } from '../../../domain/events.ts'
import { formatNumber } from '../parts/shown-values.ts'

/** Labels of the operations. */
export const OPERATIONS = {
  create: 'Create',
  update_one: 'Update one',
  update_many: 'Update many',
  upsert: 'Create or update',
} as const

/** What an operation asks for. */
export const VERBS: Record<Operation, string> = {
  create: 'create',
  update_one: 'update',
  update_many: 'update',
  upsert: 'create or update',
}

/** What a completed call did, in order: `created 2`, `updated 1,000`. Empty if it changed nothing. */
export function listDone({ total, updated, deactivated, no_updates: unchanged }: CallCounts): string[] {
  const done = { created: total - updated - deactivated - unchanged, updated, deactivated }
  return Object.entries(done).flatMap(([verb, count]) => (count > 0 ? [`${verb} ${formatNumber(count)}`] : []))
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The counts of a call with their labels, in display order. */
export const COUNTS = [
  ['total', 'Total'],
  ['updated', 'Updated'],
  ['deactivated', 'Deactivated'],
  ['failed', 'Failed'],
  ['no_updates', 'No Updates'],
] as const

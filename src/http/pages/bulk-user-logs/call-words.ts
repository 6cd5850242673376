/** Labels of the operations. */
export const OPERATIONS = {
  create: 'Create',
  update_one: 'Update one',
  update_many: 'Update many',
  upsert: 'Create or update',
} as const

/** The counts of a call with their labels, in display order. */
export const COUNTS = [
  ['total', 'Total'],
  ['updated', 'Updated'],
  ['deactivated', 'Deactivated'],
  ['failed', 'Failed'],
  ['no_updates', 'No Updates'],
] as const

/** What a call does, in words. */
export const OPERATIONS = { create: 'Create', update_one: 'Update one', update_many: 'Update many' } as const

/** The five counts of a call, in the order in which they are shown. */
export const COUNTS = [
  ['total', 'Total'],
  ['updated', 'Updated'],
  ['deactivated', 'Deactivated'],
  ['failed', 'Failed'],
  ['no_updates', 'No Updates'],
] as const

/** Where a writing call may come from: the name of its entry in Bulk User Logs. */
export const CALL_SOURCES = ['Public API', 'File upload'] as const

export type CallSource = (typeof CALL_SOURCES)[number]

/** Where a writing call may come from: the name of its entry in Bulk User Logs. */
export const CALL_SOURCES = ['Public API', 'File upload', 'SCIM', 'Undo', 'By hand'] as const

export type CallSource = (typeof CALL_SOURCES)[number]

interface SourceFacts {
  /** Null if a user makes the call. */
  key: unknown
  /** Absent if it follows from the key. */
  source?: CallSource
}

/** Where a call came from, by its closing event. Most events don't say it: most keys call `/v1`, most users send files. */
export function sourceOf({ key, source }: SourceFacts): CallSource {
  return source ?? sourceByKey(key)
}

/** The member of a closing event that says where its call came from, unless that follows from its key. */
export function sourceFact(source: CallSource, key: unknown): { source?: CallSource } {
  return source === sourceByKey(key) ? {} : { source }
}

function sourceByKey(key: unknown): CallSource {
  return key === null ? 'File upload' : 'Public API'
}

/** Where a writing call may come from: the name of its entry in Bulk User Logs. */
export const CALL_SOURCES = ['Public API', 'File upload', 'SCIM', 'Undo', 'By hand'] as const

export type CallSource = (typeof CALL_SOURCES)[number]

const SENT_AGAIN_BY: Readonly<Record<CallSource, string | null>> = {
  'Public API': null,
  'File upload': null,
  SCIM: 'the identity provider',
  Undo: null,
  'By hand': null,
}

/** Who sends refused records of a source again once they are correct there; null if files and forms can. */
export function sentAgainBy(source: CallSource): string | null {
  return SENT_AGAIN_BY[source]
}

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

/** Why something that a call sent was not applied as sent, although the call was not refused for it. */
const NOTE_CODES = {
  not_writable: 'The key may not write this field',
  not_kept: 'This value was ignored: it has no room, is too long, or is no single value',
  kept_as_text: 'This is no phone number that can be called, so it is kept as a text',
  manager_not_found: 'No employee matches this manager, so the manager stays as it was',
  left_out: 'This value is not valid. It was left out, so that the deactivation stands',
} as const

type NoteCode = keyof typeof NOTE_CODES

export const NOTE_NAMES = Object.keys(NOTE_CODES) as [NoteCode, ...NoteCode[]]

/** What a call sent and was ignored, or kept otherwise. It never has a value. */
export interface CallNote {
  /** The field as the client names it. */
  path: string
  code: NoteCode
  message: string
}

/** The most notes of a call: further ones say nothing new. */
const MAX_NOTES = 50

export function noteOf(path: string, code: NoteCode): CallNote {
  return { path, code, message: NOTE_CODES[code] }
}

/** The notes of a call, each once. */
export function joinNotes(notes: readonly CallNote[]) {
  return [...new Map(notes.map((note) => [`${note.code} ${note.path}`, note])).values()].slice(0, MAX_NOTES)
}

/** From where a request was sent. */
export interface Client {
  /** The IP address in its usual form; empty if the connection was closed before it could be read. */
  address: string
  /** The `User-Agent` header, at most `MAX_USER_AGENT` characters; null if there was none, or it was not kept. */
  userAgent: string | null
}

/** Characters of a `User-Agent` that are kept. */
export const MAX_USER_AGENT = 256

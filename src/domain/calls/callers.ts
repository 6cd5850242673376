import type { CorrectedRecords, FilePart } from '../events.ts'

/** An API key that makes a call. */
export interface KeyCaller {
  apiId: string
  /** SHA-256 of the secret that was presented, in hexadecimal. */
  secretHash: string
}

/** An administrator who makes a call. */
export interface UserCaller {
  userId: string
  /** The file that the call applies; null if there is none. */
  upload: CalledFile | null
}

/** An uploaded file, or a part of one, that a call applies, or what somebody corrected in a form. */
export interface CalledFile {
  /** Null for a form. */
  fileName: string | null
  /** The ids of the failed calls whose records the file corrects. */
  corrects: readonly string[]
  /** Which of their records the file has, as far as it is known. */
  correctedRecords: CorrectedRecords
  /** The part of the file that the call applies; null for a whole file. */
  part: FilePart | null
}

export type Caller = KeyCaller | UserCaller

/** The id of the API key or user that makes a call: the actor of its events, and the scope of its idempotency key. */
export function actorOf({ caller }: { caller: Caller }): string {
  return 'apiId' in caller ? caller.apiId : caller.userId
}

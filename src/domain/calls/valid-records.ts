import { hideSecrets } from '../secret-members.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { ReadRecord } from './call-records.ts'

/** About the characters of a part: searching it for a person takes no longer than reading a small body. */
const PART_CHARACTERS = 65_536

/**
 * Writes the valid records of a failed call in parts, each an object in JSON with the records as sent by their indexes.
 * Writes none if a record has a secret, which may not be kept, and without which it would be another record.
 */
export function* writeValid(records: readonly ReadRecord[]): Pieces<string[]> {
  const members = yield* mapInPieces(records, ({ index, sent }) =>
    hideSecrets(sent) === sent ? `"${index}":${JSON.stringify(sent)}` : null,
  )
  const parts: string[] = []
  let part: string[] = []
  let characters = 0
  for (const member of members) {
    if (member === null) return []
    part.push(member)
    characters += member.length
    if (characters < PART_CHARACTERS) continue
    parts.push(`{${part.join(',')}}`)
    part = []
    characters = 0
  }
  return part.length === 0 ? parts : [...parts, `{${part.join(',')}}`]
}

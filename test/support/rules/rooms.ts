import { readFileSync } from 'node:fs'

/** A folder or a single file that holds one idea. A room inside another is separate. */
export interface Room {
  /** Its path. */
  at: string
  /** What belongs in it. */
  holds: string
}

/** Reads the table in `docs/rooms.md`: a file imports only files of its own room and of rooms further down. */
export function readRooms(): Room[] {
  const rows = readFileSync('docs/rooms.md', 'utf8').matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)
  return [...rows].map(([, at, holds]) => ({ at: at!, holds: holds! }))
}

import { readFileSync } from 'node:fs'

/** A folder or a single file that holds one idea, and what it may import besides itself. */
export interface Room {
  /** Its path. A room inside another is separate. */
  at: string
  /** What belongs in it. */
  holds: string
  /** The rooms, all further down in the list, and files outside of rooms that it may import. */
  may: string[]
  packages: string[]
}

/** Reads the table in `docs/rooms.md`, from the top floor down. */
export function readRooms(): Room[] {
  const rows = readFileSync('docs/rooms.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  return rows.map((row) => {
    const [at = '', holds = '', may = '', packages = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    return { at: quoted(at)[0]!, holds, may: quoted(may), packages: quoted(packages) }
  })
}

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!)
}

import type { FileContent } from '../../../src/spreadsheets/process/read-apart.ts'

/** A file that is held in memory. */
export function holdFile(content: Uint8Array): FileContent {
  return { bytes: content.length, read: () => [content] }
}

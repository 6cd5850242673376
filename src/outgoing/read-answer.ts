import type { IncomingMessage } from 'node:http'
import { OutgoingError } from './outgoing-error.ts'

/** Reads an answer to its end, and keeps its first bytes. Throws if it is longer than `most`. */
export async function readAnswer(
  response: IncomingMessage,
  { most, kept: mostKept = most }: { most: number; kept?: number },
): Promise<Buffer> {
  const kept: Buffer[] = []
  let read = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (read < mostKept) kept.push(chunk.subarray(0, mostKept - read))
    read += chunk.length
    // Leaving the loop closes the connection.
    if (read > most) throw new OutgoingError('broken', `The answer exceeded ${most / 1024} KiB`)
  }
  return Buffer.concat(kept)
}

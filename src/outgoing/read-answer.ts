import type { IncomingMessage } from 'node:http'
import { OutgoingError } from './outgoing-error.ts'

/** Reads an answer to its end. Throws if it has more than `most` bytes. */
export async function readAnswer(response: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    read += chunk.length
    // Leaving the loop closes the connection.
    if (read > most) throw new OutgoingError('broken', `The answer exceeded ${most / 1024} KiB`)
  }
  return Buffer.concat(chunks)
}

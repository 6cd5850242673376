import type { FastifyReply } from 'fastify'
import type { Readable } from 'node:stream'

/** Formats an instant (RFC 3339, UTC) for a file name, to the minute: `2026-11-20T1430Z`. */
export function formatFileTime(instant: string): string {
  return `${instant.slice(0, '0000-00-00T00:00'.length).replace(':', '')}Z`
}

/** Sends a stream as a file to download. The name must be ASCII without quotes. */
export function sendAttachment(reply: FastifyReply, fileName: string, type: string, content: Readable): FastifyReply {
  return reply.type(type).header('content-disposition', `attachment; filename="${fileName}"`).send(content)
}

import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { eventually } from '../eventually.ts'

/* A minimal OpenTelemetry collector for tests: it receives spans by OTLP over HTTP, as JSON. */

export interface CollectedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  /** 2 is an error. */
  status: { code: number; message?: string }
  attributes: Record<string, unknown>
  /** The ids of the spans that it links to. */
  links: string[]
  /** The attributes of the process it comes from. */
  resource: Record<string, unknown>
}

interface TraceCollector {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string
  spans: CollectedSpan[]
  /** The received bodies, unchanged. */
  bodies: string[]
  headers: IncomingHttpHeaders[]
  /** Waits for this many spans of a trace. */
  trace(traceId: string, count: number): Promise<CollectedSpan[]>
}

/** Starts a collector. One that hangs accepts requests but never answers. */
export async function startCollector(t: Pick<Test, 'teardown'>, { hangs = false } = {}): Promise<TraceCollector> {
  const collector = { spans: [] as CollectedSpan[], bodies: [] as string[], headers: [] as IncomingHttpHeaders[] }
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    collector.headers.push(request.headers)
    collector.bodies.push(body)
    if (hangs) return
    if (request.url === '/v1/traces') collector.spans.push(...spansOf(JSON.parse(body) as Export))
    response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    ...collector,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trace: (traceId, count) =>
      eventually(`${count} spans of ${traceId}`, async () => {
        const found = collector.spans.filter((span) => span.traceId === traceId)
        return found.length >= count && found
      }),
  }
}

type Attributes = { key: string; value: Record<string, unknown> }[]

interface Export {
  resourceSpans: {
    resource: { attributes: Attributes }
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'attributes' | 'links' | 'resource'> & {
        attributes: Attributes
        links?: { spanId: string }[]
      })[]
    }[]
  }[]
}

function spansOf({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: valuesOf(span.attributes),
        links: (span.links ?? []).map(({ spanId }) => spanId),
        resource: valuesOf(resource.attributes),
      })),
    ),
  )
}

/** A value is an object with one member, named after its type. */
function valuesOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

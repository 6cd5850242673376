import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics, Gauge } from 'prom-client'
import type { Metrics } from './metrics.ts'
import { tellMetrics } from './metrics.ts'

const REQUEST_TIMEOUT_MS = 10_000

export interface MetricsListener {
  /** Where the metrics are. */
  url: string
  stop(): Promise<void>
}

/**
 * Tells the metrics of this process at `/metrics`, and at `/livez` that it lives, on a port of their own, which is not
 * for the outside: nobody is asked for a key. `build` are the labels of what runs.
 */
export async function startMetricsListener(
  metrics: Metrics,
  place: { host: string; port: number },
  build: Record<string, string>,
): Promise<MetricsListener> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => void answer(metrics, request, response),
  )
  server.listen(place)
  await once(server, 'listening')
  tellProcess(metrics, build)
  const { address, port } = server.address() as AddressInfo
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}/metrics`,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function tellProcess({ registry }: Metrics, build: Record<string, string>): void {
  collectDefaultMetrics({ register: registry })
  const labelNames = Object.keys(build)
  const help = 'What runs, in its labels; the value is 1'
  new Gauge({ name: 'employee_ledger_build_info', help, labelNames, registers: [registry] }).set(build, 1)
}

async function answer(metrics: Metrics, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (method !== 'GET' || (url !== '/metrics' && url !== '/livez')) {
    response.writeHead(404).end()
    return
  }
  if (url === '/livez') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"alive"}')
    return
  }
  try {
    const text = await tellMetrics(metrics)
    response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text)
  } catch {
    response.writeHead(500).end()
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics } from 'prom-client'
import { renderMetrics, type Metrics } from './metrics.ts'

const REQUEST_TIMEOUT_MS = 10_000

/**
 * Serves `/metrics` and `/livez` of this process on a port of their own. The port needs no authentication, so it must
 * not be reachable from outside. `build` has the labels that identify the build. Returns the URL of the metrics, too.
 */
export async function startMetricsListener(
  metrics: Metrics,
  place: { host: string; port: number },
  build: Record<string, string>,
) {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => void answer(metrics, request, response),
  )
  server.listen(place)
  await once(server, 'listening')
  registerProcessMetrics(metrics, build)
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

function registerProcessMetrics({ registry, makeGauge }: Metrics, build: Record<string, string>) {
  collectDefaultMetrics({ register: registry })
  // In Prometheus, only counters end in `_total`. These are gauges, and the same numbers are there by type.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`)
  const info = makeGauge('build_info', 'The labels identify the build; the value is always 1', Object.keys(build))
  info.set(build, 1)
}

async function answer(metrics: Metrics, { method, url }: IncomingMessage, response: ServerResponse) {
  response.setHeader('cache-control', 'no-store')
  if (method !== 'GET' || (url !== '/metrics' && url !== '/livez')) {
    response.writeHead(404).end()
    return
  }
  if (url === '/livez') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"alive"}')
    return
  }
  try {
    const text = await renderMetrics(metrics)
    response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text)
  } catch {
    response.writeHead(500).end()
  }
}

import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'

interface WatchedProxy {
  address: string
  /**
   * Is called with the number of each request, from 1, before it is forwarded. An answer it returns is sent instead.
   * Reads of people are not counted, unless they ask for a status.
   */
  onRequest: (count: number) => Promise<Response | void> | Response | void
  /** Is called before the answer to a request is sent back. */
  onAnswer: (count: number) => Promise<void> | void
}

/** A loopback HTTP proxy in front of the service that tells of each request and answer. */
export async function startWatchedProxy(t: Pick<Test, 'teardown'>, target: string): Promise<WatchedProxy> {
  let count = 0
  const proxy: WatchedProxy = { address: '', onRequest: () => undefined, onAnswer: () => undefined }
  const forward = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const isLookup = /\/employees\?(?:external_id|email|limit)=[^&]*(?:&cursor=.*)?$/.test(request.url!)
    const number = isLookup ? count : (count += 1)
    const body = await buffer(request)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const refusal = isLookup ? undefined : await proxy.onRequest(number)
    // Uncompressed: fetch would undo it, and leave its header.
    const sent = { ...headers, 'accept-encoding': 'identity' } as unknown as Record<string, string>
    const init = { method: request.method!, headers: sent }
    const answer =
      refusal ?? (await fetch(target + request.url!, body.length > 0 ? { ...init, body: new Uint8Array(body) } : init))
    if (!isLookup) await proxy.onAnswer(number)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  }
  const server = http.createServer(
    (request, response) => void forward(request, response).catch(() => response.destroy()),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  proxy.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

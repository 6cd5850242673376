import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * A process that receives messages of webhooks, and prints its URL. Accepts each at once, except below `/never`, where
 * it accepts connections and never answers. `GET /counts` says how many messages it has accepted, from how many webhooks,
 * and how many milliseconds passed between the first and the last. `GET /lags` says how many milliseconds each took from
 * its event to here, and forgets everything.
 */

let accepted = 0
let webhooks = new Set<string>()
let lags: number[] = []
let [firstAt, lastAt] = [0, 0]

const server = createServer((request, response) => {
  const { method, url = '/' } = request
  if (method === 'GET') {
    response.end(JSON.stringify(url === '/lags' ? lags : { accepted, webhooks: webhooks.size, ms: lastAt - firstAt }))
    if (url === '/lags') [accepted, webhooks, lags] = [0, new Set(), []]
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (url.startsWith('/never')) return
    const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: string }
    lags.push(Date.now() - Date.parse(timestamp))
    lastAt = performance.now()
    if (accepted === 0) firstAt = lastAt
    accepted += 1
    webhooks.add(url)
    response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import type { Test } from 'tap'

/** Starts a server to which a provider can send a logout token. Returns its address, and the first token. */
export async function captureLogoutToken(
  t: Pick<Test, 'teardown'>,
): Promise<{ backchannelLogoutUri: string; token: Promise<string> }> {
  const { promise: token, resolve } = Promise.withResolvers<string>()
  const server = createServer((request, response) => {
    void readText(request).then((text) => resolve(new URLSearchParams(text).get('logout_token')!))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  return { backchannelLogoutUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, token }
}

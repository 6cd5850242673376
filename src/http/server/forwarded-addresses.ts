import type { FastifyInstance } from 'fastify'
import { readAddress } from '#domain/networks'

/**
 * Rewrites the addresses in `X-Forwarded-For` in their usual form, before anything reads them. Some proxies add the port
 * of the connection (`192.0.2.1:51234`): it would make another client of each connection, and no proxy a trusted one.
 */
export function readForwardedAddresses(app: FastifyInstance) {
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const forwarded = headers['x-forwarded-for']
    if (typeof forwarded !== 'string') return
    headers['x-forwarded-for'] = forwarded
      .split(',')
      .map((text) => readAddress(text.trim()) ?? text.trim())
      .join(', ')
  })
}

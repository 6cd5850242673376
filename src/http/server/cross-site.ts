import type { FastifyRequest } from 'fastify'

/** Whether a page of another site made the browser send the request (https://www.w3.org/TR/fetch-metadata/). */
export function isFromAnotherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

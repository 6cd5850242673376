import type { FastifyRequest } from 'fastify'

/*
 * The headers that tell a browser what an answer may do (https://owasp.org/www-project-secure-headers/).
 */

type Headers = Readonly<Record<string, string>>

/** An answer opened in a browser must not act as a page, whatever it contains. Pages set their own policy. */
const ANSWER_HEADERS: Headers = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
}

/** HTTPS only, for a year (RFC 6797). */
const HSTS: Headers = { 'strict-transport-security': 'max-age=31536000' }

/** The headers that every answer has, of a service that browsers reach over HTTPS or not. */
export function listSecurityHeaders(isSecure: boolean): Headers {
  return { ...ANSWER_HEADERS, ...(isSecure ? HSTS : {}) }
}

/**
 * A page may load only our style sheet and script, send forms only to us, and not be framed. Scripts may create elements
 * from text in one place only (Trusted Types): from HTML that this server has rendered.
 */
export const PAGE_HEADERS: Headers = {
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'",
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types rendered-rows",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  // Forms need the origin; other sites get none.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** Whether a page of another site made the browser send the request (https://www.w3.org/TR/fetch-metadata/). */
export function isFromAnotherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

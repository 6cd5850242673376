import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import { html } from 'hono/html'

/**
 * Scripts, data and images come only from this service. Scalar adds style sheets to the page at run time, so inline styles
 * must be allowed.
 */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:",
  "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/** Without fonts, assistants and links to other services: the page works offline. */
const SETTINGS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'direct',
  defaultOpenAllTags: true,
}

const START = `Scalar.createApiReference('#reference', ${JSON.stringify(SETTINGS)})\n`

const PAGE = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Employee Public API</title>
    </head>
    <body>
      <div id="reference"></div>
      <script src="/docs/reference.js"></script>
      <script src="/docs/start.js"></script>
    </body>
  </html>`

/** `/docs`: the API reference, rendered by Scalar from the OpenAPI document, without requests to other hosts. */
export function referencePage(app: FastifyInstance): void {
  const schema = { hide: true }
  let script: Promise<string> | undefined
  app.get('/docs', { schema }, async (_, reply) =>
    reply
      .header('content-security-policy', POLICY)
      .headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send((await PAGE).toString()),
  )
  app.get('/docs/start.js', { schema }, (_, reply) => reply.type('text/javascript; charset=utf-8').send(START))
  app.get('/docs/reference.js', { schema, config: { isStatic: true } }, async (_, reply) => {
    script ??= loadScript()
    return reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(await script)
  })
}

/**
 * Loads the script from Scalar's package, which serves it only through a Fastify instance. It is large, so it is loaded
 * on first use.
 */
async function loadScript(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const host = Fastify()
  await host.register(scalar, { routePrefix: '/docs', configuration: { url: SETTINGS.url } })
  const { statusCode, body } = await host.inject('/docs/js/scalar.js')
  await host.close()
  if (statusCode !== 200) throw new Error('the Scalar package no longer serves the script of the reference page')
  return body
}

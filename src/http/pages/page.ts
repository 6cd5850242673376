import type { FastifyReply } from 'fastify'
import { html } from 'hono/html'

/** What the `html` tag makes: text in which every value was escaped. */
export type Html = ReturnType<typeof html>

/** A page may load nothing but its own style sheet, and nothing may frame it. */
const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Sends a page without scripts. */
export async function sendPage(reply: FastifyReply, title: string, body: Html): Promise<FastifyReply> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="/problems/style.css" />
      </head>
      <body>
        ${body}
      </body>
    </html>`
  return reply
    .headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    .type('text/html; charset=utf-8')
    .send(page.toString())
}

export const STYLE = `:root { color-scheme: light dark }
body { font: 1.0625rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1.25rem }
h1 { font-size: 1.5rem; line-height: 1.3 }
h2 { font-size: 1rem; margin: 1.5rem 0 0 }
p { margin: .25rem 0 }
code { font: .9375em ui-monospace, monospace; overflow-wrap: anywhere }
table { border-collapse: collapse }
td, th { text-align: left; vertical-align: top; padding: .25rem 1.25rem .25rem 0 }
`

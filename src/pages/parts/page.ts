import type { FastifyReply } from 'fastify'
import { PAGE_HEADERS } from '#http/server/security-headers'
import { assetUrl } from '../assets/assets.ts'
import { html, type Html } from './html.ts'

/** The answers that may be better soon. */
const LATER: ReadonlySet<number> = new Set([429, 503])
const RETRY_AFTER_SECONDS = '1'

/** Where a page goes by itself. */
export interface PageMoves {
  /** Without scripts, the page reloads itself after so many seconds. */
  reloadSeconds?: number | undefined
  /** The page leads to this address at once; it must have a link there too. */
  goTo?: string | null | undefined
}

/** Sends a whole page, which no cache may keep. */
export async function sendPage(
  reply: FastifyReply,
  title: string | Html,
  body: Html,
  { reloadSeconds, goTo }: PageMoves = {},
): Promise<FastifyReply> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · employee-ledger</title>
        <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetUrl('style.css')}" />
        <script src="${assetUrl('script.js')}" type="module"></script>
        <script src="${assetUrl('keyboard.js')}" type="module"></script>
        <script src="${assetUrl('palette.js')}" type="module"></script>
        ${reloadSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${reloadSeconds}" /></noscript>`}
        ${typeof goTo === 'string' && html`<meta http-equiv="refresh" content="0; url=${goTo}" />`}
      </head>
      <body>
        ${body}
      </body>
    </html>`
  if (LATER.has(reply.statusCode) && !reply.hasHeader('retry-after'))
    void reply.header('retry-after', RETRY_AFTER_SECONDS)
  if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
  return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page.toString())
}

/** Sends a part of a page for the script to insert. */
export async function sendFragment(reply: FastifyReply, body: Html): Promise<FastifyReply> {
  return reply
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send((await body).toString())
}

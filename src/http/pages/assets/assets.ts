import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** A file that pages load. Its name contains a hash of its content, so caches may keep it forever. */
interface Asset {
  path: string
  type: string
  content: string
}

const NAME_DIGITS = 12

/** The parts of the style sheet. A part may override the rules of those before it. */
const STYLES = [
  'tokens',
  'base',
  'frame',
  'forms',
  'notices',
  'tables',
  'entry-filters',
  'entry-list',
  'entry',
  'records',
  'secrets',
  'uploads',
  'usage',
  'charts',
  'events',
  'timeline',
  'reference',
  'print',
].map((part) => `styles/${part}.css`)

function loadAsset(name: string, type: string, files = [name]): Asset {
  const content = files.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n')
  const [base, extension] = name.split('.')
  return { path: `/assets/${base}-${hash('sha256', content).slice(0, NAME_DIGITS)}.${extension}`, type, content }
}

export const ASSETS = {
  style: loadAsset('style.css', 'text/css; charset=utf-8', STYLES),
  script: loadAsset('script.js', 'text/javascript; charset=utf-8'),
  keyboard: loadAsset('keyboard.js', 'text/javascript; charset=utf-8'),
  palette: loadAsset('palette.js', 'text/javascript; charset=utf-8'),
  liveLog: loadAsset('live-log.js', 'text/javascript; charset=utf-8'),
  verifyEvidence: loadAsset('verify-evidence.js', 'text/javascript; charset=utf-8'),
  zip: loadAsset('zip.js', 'text/javascript; charset=utf-8', [
    import.meta.resolve('@zip.js/zip.js/dist/zip-core-external.min.js'),
  ]),
  passkeys: loadAsset('passkeys.js', 'text/javascript; charset=utf-8'),
  icon: loadAsset('icon.svg', 'image/svg+xml'),
}

/** Serves the style sheet, the scripts and the icon of the pages. */
export function pageAssets(app: FastifyInstance): void {
  for (const { path, type, content } of Object.values(ASSETS)) {
    app.get(path, { schema: { hide: true } }, (_, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
        .type(type)
        .send(content),
    )
  }
}

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const VERSION_DIGITS = 12
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The parts of the style sheet. A part may override the rules of those before it. */
const STYLES = [
  'tokens',
  'base',
  'layout',
  'frame',
  'forms',
  'notices',
  'tables',
  'entry-filters',
  'entry-list',
  'entry',
  'records',
  'uploads',
  'charts',
  'events',
  'reference',
  'print',
].map((part) => `styles/${part}.css`)

function read(file: string) {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

/** What pages load. Scripts may import one another. */
const ASSETS = {
  'style.css': STYLES.map(read).join('\n'),
  'icon.svg': read('icon.svg'),
  'elements.js': read('elements.js'),
  'script.js': read('script.js'),
  'keyboard.js': read('keyboard.js'),
  'live-log.js': read('live-log.js'),
  'passkeys.js': read('passkeys.js'),
  'verify-evidence.js': read('verify-evidence.js'),
  'zip.js': read(import.meta.resolve('@zip.js/zip.js/dist/zip-core-external.min.js')),
}

const VERSION = hash('sha256', Object.values(ASSETS).join('\n')).slice(0, VERSION_DIGITS)

/** The address of a file that pages load. It contains a hash of all of them, so caches may keep it forever. */
export function assetUrl(name: keyof typeof ASSETS) {
  return `/assets/${VERSION}/${name}`
}

/** Serves the style sheet, the scripts and the icon of the pages. */
export function pageAssets(app: FastifyInstance) {
  for (const [name, content] of Object.entries(ASSETS)) {
    const path = assetUrl(name as keyof typeof ASSETS)
    const type = TYPES[name.split('.').at(-1)!]!
    app.get(path, { schema: { hide: true } }, (_, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
        .type(type)
        .send(content),
    )
  }
}

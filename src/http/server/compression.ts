import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { isFromAnotherSite } from './security-headers.ts'

const SMALLEST = 1_024
const COMPRESSIBLE = /^(?:text\/(?:html|css|javascript)|image\/svg\+xml|application\/(?:[\w.-]+\+)?json)(?:;|$)/
/** The better ones first. */
const ENCODINGS = ['br', 'gzip'] as const

type Encoding = (typeof ENCODINGS)[number]

/** A higher quality takes many times as long for a tenth of the bytes. */
const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 4 }

/**
 * Compresses pages, JSON, and the files that pages load, from 1 kB on. Streams are left alone: exports check the
 * reader's rights before each part, and a compressor would hold parts back.
 *
 * The length of a compressed answer can reveal a part of it to someone who sees the network and chooses another part
 * (BREACH). Another site can choose a part only by what it makes the browser request, and such requests are answered
 * uncompressed.
 */
export function compressAnswers(app: FastifyInstance) {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isCompressible(reply, payload)) return done(null, payload)
    addVary(reply, 'accept-encoding')
    const bytes = Buffer.byteLength(payload)
    const isLeft = request.method === 'HEAD' || bytes < SMALLEST || isFromAnotherSite(request)
    const encoding = isLeft ? undefined : chooseEncoding(request, ENCODINGS)
    if (!encoding) return done(null, payload)
    void reply.header('content-encoding', encoding).removeHeader('content-length')
    if (encoding === 'gzip') gzip(payload, done)
    else brotliCompress(payload, { params: { ...BROTLI, [constants.BROTLI_PARAM_SIZE_HINT]: bytes } }, done)
  })
}

function isCompressible(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
  return isWhole && !reply.hasHeader('content-encoding') && COMPRESSIBLE.test(String(reply.getHeader('content-type')))
}

/** Adds a request header to those on which the answer depends. */
export function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('vary')
  void reply.header('vary', vary === undefined ? name : `${String(vary)}, ${name}`)
}

/**
 * Chooses the encoding that a client likes best (RFC 9110 section 12.5.3), the first one if it likes several;
 * undefined if it accepts none.
 */
export function chooseEncoding<Offered extends Encoding>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  offered: readonly Offered[],
): Offered | undefined {
  const weights = new Map(
    (headers['accept-encoding'] ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
        const weight = parameters.find((text) => text.startsWith('q='))?.slice(2)
        return [name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight) || 0]
      }),
  )
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0
  return offered.filter((encoding) => weightOf(encoding) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))[0]
}

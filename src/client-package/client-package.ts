import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'

const PATH = '/client.tgz'
/** It changes with the version only. */
const MAX_AGE_SECONDS = 300

/**
 * `/client.tgz`: the package of the client that fits this version. Installing it from here, and not by a name from a
 * registry, means that nobody else's program runs beside an API key.
 */
export function clientPackage(app: FastifyInstance): void {
  let made: Promise<Buffer> | undefined
  app.get(PATH, { schema: { hide: true } }, async (_, reply) => {
    made ??= packInThread()
    try {
      const content = await made
      return await reply
        .headers({ 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` })
        .type('application/gzip')
        .send(content)
    } catch (error) {
      made = undefined
      throw error
    }
  })
}

async function packInThread(): Promise<Buffer> {
  // The function that leaves out the types is the one that runs this program, although it is called experimental.
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const thread = new Worker(new URL('pack-program.ts', import.meta.url), { execArgv })
  const [content] = (await once(thread, 'message')) as [Uint8Array]
  return Buffer.from(content)
}

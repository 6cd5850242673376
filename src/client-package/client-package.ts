import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { readSources, type Sources } from './read-sources.ts'

const PATH = '/client.tgz'
/** It changes with the version only. */
const MAX_AGE_SECONDS = 300

/** Reading what the package is made of takes milliseconds, and a process has one version. */
let held: { packer: string; sources: Sources } | undefined

function holdPackage() {
  return { packer: readFileSync(new URL('pack-client.ts', import.meta.url), 'utf8'), sources: readSources() }
}

/**
 * `/client.tgz`: the package of the client that fits this version. Installing it from here, and not by a name from a
 * registry, means that nobody else's program runs beside an API key.
 */
export function clientPackage(app: FastifyInstance): void {
  // Now, because the folder may get another version while this one runs.
  const { packer, sources } = (held ??= holdPackage())
  let made: Promise<Buffer> | undefined
  app.get(PATH, { schema: { hide: true } }, async (_, reply) => {
    made ??= runInThread(`${packer}${PACK}`, sources)
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

const PACK = `
import { parentPort, workerData } from 'node:worker_threads'
parentPort!.postMessage(packClient(workerData), [])`

/** Runs a program in a thread, because leaving out the types takes longer than a request may hold the event loop. */
async function runInThread(program: string, workerData: unknown): Promise<Buffer> {
  // The function that leaves out the types is the one that runs this program, although it is called experimental.
  const execArgv = ['--input-type=module-typescript', '--disable-warning=ExperimentalWarning']
  const thread = new Worker(program, { eval: true, workerData, execArgv })
  const [content] = (await once(thread, 'message')) as [Uint8Array]
  return Buffer.from(content)
}

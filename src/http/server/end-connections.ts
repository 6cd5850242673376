import type { FastifyInstance } from 'fastify'

/**
 * Ends each connection with the next answer once the service begins to stop, also to a request that was in progress
 * then: the service would wait for its client to close it otherwise.
 */
export function endConnections(app: FastifyInstance, isStopping: () => boolean): void {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing || isStopping()) void reply.header('connection', 'close')
    done()
  })
}

import type { FastifyInstance } from 'fastify'

/**
 * Ends a connection with the answer to a request that was in progress when the service began to stop. The service would
 * wait for its client to close it otherwise. Fastify itself ends those with requests that arrive later.
 */
export function endConnections(app: FastifyInstance): void {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping) void reply.header('connection', 'close')
    done()
  })
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'

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

/**
 * Answers the calls of clients that close their sending half once the request is sent, as `nc -N` does: the call is
 * applied, and they still read. For all other requests, it means that the client has left, which ends long reads.
 */
export function answerHalfClosed(app: FastifyInstance, isAnswered: (request: FastifyRequest) => boolean): void {
  const answering = new WeakMap<Socket, boolean>()
  // Node.js's http server reads this undocumented property; there is no other way to keep the connection.
  Object.assign(app.server, { httpAllowHalfOpen: true })
  app.server.on('connection', (socket) => {
    socket.on('end', () => answering.get(socket) || socket.end())
  })
  app.addHook('onRequest', (request, _reply, done) => {
    answering.set(request.raw.socket, isAnswered(request))
    done()
  })
}

import type { FastifyInstance } from 'fastify'

/**
 * Lets a client that waits for it (`Expect: 100-continue`, RFC 9110 section 10.1.1) send its body once the request has
 * passed the checks that need no body, so that a refused call is not uploaded.
 */
export function continueAfterChecks(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response))
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue()
    done()
  })
}

import type { FastifyInstance } from 'fastify'
import type { CompanyScope } from '../../postgres/cluster/company-scope.ts'
import { runInScope } from '../../postgres/cluster/company-scope.ts'

/** Runs each request in a scope, so that its statements go to its company's machine once its credentials name one. */
export function scopeRequests(app: FastifyInstance): void {
  const scopes = new WeakMap<object, CompanyScope>()
  app.addHook('onRequest', (request, _reply, next) => {
    const scope = { companyId: null }
    scopes.set(request, scope)
    runInScope(scope, next)
  })
  // The body may have been read in another asynchronous context.
  app.addHook('preValidation', (request, _reply, next) => runInScope(scopes.get(request)!, next))
}

import type { Answer, Service } from './service.ts'

export const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const TYPE = 'application/scim+json'

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

/** An identity provider, with a key of its own. */
export async function connectProvider(service: Service, name: string, access: object = {}) {
  const { body: key } = await service.manage('POST', '/api-keys', { name, scopes: ['scim'], ...access })
  const token = `${key.id}.${key.api_key}`
  const ask = (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    service.call(method, `/scim/v2${path}`, {
      key: null,
      ...(body === undefined ? {} : { body }),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': TYPE }),
        ...headers,
      },
    })
  return {
    key,
    token,
    ask,
    post: (body: unknown) => ask('POST', '/Users', body),
    put: (id: string, body: unknown) => ask('PUT', `/Users/${id}`, body),
    get: (id: string) => ask('GET', `/Users/${id}`),
    remove: (id: string) => ask('DELETE', `/Users/${id}`),
    patch: (id: string, ...operations: unknown[]) =>
      ask('PATCH', `/Users/${id}`, { schemas: [PATCH_OP], Operations: operations }),
    find: (filter: string, more = '') => ask('GET', `/Users?filter=${encodeURIComponent(filter)}${more}`),
    /** The entry of the last writing call, with its records. */
    async lastEntry() {
      await service.project()
      const { body } = await service.admin('/bulk-user-logs?source=SCIM&limit=1')
      return service.logOf(body.items[0].id)
    },
  }
}

export type Provider = Awaited<ReturnType<typeof connectProvider>>

import type { Adapter, AdapterPayload, ClientMetadata } from 'oidc-provider'

/** What a provider stores. It outlives a change of the provider's keys. */
export function openMemory() {
  const rows = new Map<string, AdapterPayload>()
  const find = (matches: (payload: AdapterPayload) => boolean, model: string) =>
    [...rows].find(([key, payload]) => key.startsWith(`${model}:`) && matches(payload))?.[1]

  const adapter = (model: string): Adapter => ({
    async upsert(id, payload) {
      rows.set(`${model}:${id}`, payload)
    },
    find: async (id) => rows.get(`${model}:${id}`),
    findByUid: async (uid) => find((payload) => payload.uid === uid, model),
    findByUserCode: async (code) => find((payload) => payload.userCode === code, model),
    async consume(id) {
      rows.get(`${model}:${id}`)!.consumed = Math.floor(Date.now() / 1_000)
    },
    async destroy(id) {
      rows.delete(`${model}:${id}`)
    },
    async revokeByGrantId(grantId) {
      for (const [key, payload] of rows) if (payload.grantId === grantId) rows.delete(key)
    },
  })

  return {
    adapter,
    addClient: (id: string, client: ClientMetadata) => void rows.set(`Client:${id}`, client),
    /** Forgets the sessions of an account, and returns the clients that it was signed in to. */
    endSessions(accountId: string): { clientId: string; sid: string }[] {
      const ended = [...rows].filter(([key, payload]) => key.startsWith('Session:') && payload.accountId === accountId)
      for (const [key] of ended) rows.delete(key)
      return ended.flatMap(([, { authorizations }]) =>
        Object.entries(authorizations ?? {}).map(([clientId, { sid }]) => ({ clientId, sid: sid! })),
      )
    },
  }
}

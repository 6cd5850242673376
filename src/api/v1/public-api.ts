import { PUBLIC_API } from '#domain/calls/answer-call'
import type { KeyProtocol } from '#http/calls/writing-call'
import { refuseHalfBuilt } from '#http/server/preconditions'
import { MERGE_PATCH_TYPES } from '#http/server/media-types'
import { PROBLEM_DOCUMENTS } from '#http/server/problem'
import { readEmployees, listErased, listEmployeesRoute } from './read-employees.ts'
import { verifyKey } from './verify-key.ts'
import { writeEmployees } from './write-employees.ts'

const KEY_HEADERS = ['x-api-id', 'x-api-key']

/** The public API. */
export const publicApi: KeyProtocol = {
  ...PUBLIC_API,
  ...PROBLEM_DOCUMENTS,
  prefix: '/v1',
  challenge: 'ApiKey realm="employee-ledger"',
  bodyTypes: MERGE_PATCH_TYPES,
  /** Each header must occur exactly once. */
  readCredentials: ({ raw: { headersDistinct } }) => {
    const { 'x-api-id': [apiId, ...otherIds] = [], 'x-api-key': [secret, ...otherSecrets] = [] } = headersDistinct
    if (apiId === undefined || secret === undefined) {
      const missing = KEY_HEADERS.filter((name) => headersDistinct[name] === undefined)
      return { missing: `The request has no header ${missing.join(' and no ')}` }
    }
    if (otherIds.length + otherSecrets.length > 0) return { missing: `Send ${KEY_HEADERS.join(' and ')} once each` }
    if (!apiId.startsWith('key_') || !secret.startsWith('el_live_'))
      return { missing: 'x-api-id begins with key_, and x-api-key with el_live_' }
    return { apiId, secret }
  },
  addRoutes: async (app, services) => {
    await app.register((writing) => writeEmployees(writing, publicApi, services))
    readEmployees(app, services)
    listErased(app, services)
    await app.register(async (reading) => {
      refuseHalfBuilt(reading, services.areReadModelsComplete)
      listEmployeesRoute(reading, services)
    })
    verifyKey(app, services.keyUsage)
  },
}

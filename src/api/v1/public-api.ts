import { PUBLIC_API } from '../../domain/calls/answer-call.ts'
import type { KeyProtocol } from '../../http/calls/key-protocol.ts'
import { refuseHalfBuilt } from '../../http/server/half-built.ts'
import { MERGE_PATCH_TYPES } from '../../http/server/media-types.ts'
import { PROBLEM_DOCUMENTS } from '../../http/server/protocols.ts'
import { listEmployeesRoute } from './list-employees.ts'
import { readEmployees } from './read-employees.ts'
import { verifyKey } from './verify-key.ts'
import { writeEmployees } from './write-employees.ts'

/** The public API. */
export const publicApi: KeyProtocol = {
  ...PUBLIC_API,
  ...PROBLEM_DOCUMENTS,
  prefix: '/v1',
  challenge: 'ApiKey realm="employee-ledger"',
  bodyTypes: MERGE_PATCH_TYPES,
  /** Each header must occur exactly once. */
  readCredentials: ({ raw: { headersDistinct } }) => {
    const { 'x-api-id': ids, 'x-api-key': secrets } = headersDistinct
    const [apiId, secret] = [ids?.[0], secrets?.[0]]
    if (ids?.length !== 1 || secrets?.length !== 1 || apiId === undefined || secret === undefined) return null
    return { apiId, secret }
  },
  addRoutes: async (app, services) => {
    await app.register((writing) => writeEmployees(writing, publicApi, services))
    readEmployees(app, services)
    await app.register(async (reading) => {
      refuseHalfBuilt(reading, services.areReadModelsComplete)
      listEmployeesRoute(reading, services)
    })
    verifyKey(app, services.keyUsage)
  },
}

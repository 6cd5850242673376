import createClient from 'openapi-fetch'
import type { Client } from 'openapi-fetch'
import type { components, paths } from './api-types.ts'

export type ApiClient = Client<paths>
export type Employee = components['schemas']['Employee']
export type EmployeeCreate = components['schemas']['EmployeeCreate']
export type EmployeeBulkPatch = components['schemas']['EmployeeBulkPatch']
export type EmployeeUpsert = components['schemas']['EmployeeUpsert']

/** Creates a client of the public API. Paths, parameters, bodies, and answers are typed by the OpenAPI document. */
export function employeeClient(baseUrl: string, apiId: string, apiKey: string): ApiClient {
  return createClient<paths>({ baseUrl, headers: { 'x-api-id': apiId, 'x-api-key': apiKey } })
}

/** Creates a client of the admin API, with a user's token. */
export function adminClient(baseUrl: string, token: string): ApiClient {
  return createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })
}

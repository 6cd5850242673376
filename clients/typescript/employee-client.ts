import createClient from 'openapi-fetch'
import type { Client } from 'openapi-fetch'
import type { components, paths } from './api-types.ts'

export type ApiClient = Client<paths>
export type Employee = components['schemas']['Employee']
export type EmployeeCreate = components['schemas']['EmployeeCreate']
export type EmployeeBulkPatch = components['schemas']['EmployeeBulkPatch']

/** A client of the public API. Every path, parameter, body and answer has the type that the document gives it. */
export function employeeClient(baseUrl: string, apiId: string, apiKey: string): ApiClient {
  return createClient<paths>({ baseUrl, headers: { 'x-api-id': apiId, 'x-api-key': apiKey } })
}

/** The same for the admin endpoint, with a user's token. */
export function adminClient(baseUrl: string, token: string): ApiClient {
  return createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })
}

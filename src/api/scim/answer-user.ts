import type { CallDecision, CallAnswer } from '#domain/calls/call-decision'
import { entityTag } from '#domain/employees/entity-tag'
import { projectUser, renderUser, type Projection } from '#domain/scim/render-user'

/** Answers with the user as the call left it. A creation that brings somebody back is one to the client. */
export function answerUser(
  operation: 'create' | 'update_one',
  { outcomes }: CallDecision,
  base: string,
  projection: Projection,
): CallAnswer {
  const { employee } = outcomes[0]!
  if (!employee) throw new Error('the employee of a call with one record is known')
  const user = renderUser(employee, base)
  const headers = { location: `${base}/Users/${employee.id}`, etag: entityTag(employee.version) }
  return { status: operation === 'create' ? 201 : 200, headers, body: projectUser(user, projection) }
}

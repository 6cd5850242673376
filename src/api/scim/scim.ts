import type { FastifyRequest } from 'fastify'
import { trimBlanks } from '#text/normalize-text'
import { isSameName } from '#domain/scim/schemas'
import { SCIM, SCIM_TYPE } from '#domain/scim/scim-protocol'
import type { KeyProtocol } from '#http/calls/writing-call'
import { answerUser } from './answer-user.ts'
import { discoveryRoutes } from './discovery-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { readUsers } from './read-users.ts'
import { writeUsers } from './write-users.ts'

const PREFIX = '/scim/v2'

/** SCIM 2.0 (RFC 7643 and 7644), for identity providers. */
export const scim: KeyProtocol = {
  ...SCIM,
  prefix: PREFIX,
  challenge: 'Bearer realm="employee-ledger"',
  answerType: SCIM_TYPE,
  refusalType: SCIM_TYPE,
  bodyTypes: ['application/scim+json', 'application/json'],
  readCredentials,
  answer: (_, decision) => answerUser('update_one', decision, PREFIX, EVERYTHING),
  addRoutes: async (app, services) => {
    discoveryRoutes(app, services)
    groupRoutes(app, services)
    readUsers(app, services)
    await app.register((writing) => writeUsers(writing, scim, services))
  },
}

const EVERYTHING = { attributes: [], excluded: [] }

/** Providers have one field for a token, so it has the id of the key and its secret. Ping has two, for HTTP Basic. */
function readCredentials({ headers: { authorization = '' } }: FastifyRequest) {
  const [, scheme = '', sent = ''] = /^(bearer|basic) +([\x21-\x7e]{1,1000})$/i.exec(trimBlanks(authorization)) ?? []
  const isBasic = isSameName(scheme, 'basic')
  const text = isBasic ? Buffer.from(sent, 'base64').toString() : sent
  const at = text.indexOf(isBasic ? ':' : '.')
  if (at <= 0) return { missing: 'Send the token: the id of an API key and its secret, joined by a dot' }
  return { apiId: text.slice(0, at), secret: text.slice(at + 1) }
}

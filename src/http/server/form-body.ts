import type { FastifyInstance } from 'fastify'
import { parse } from 'node:querystring'
import { problemError } from './problem.ts'

/** Fields take several times as long to read as their bytes. */
const MAX_FIELDS = 16_384

/**
 * Lets a scope receive forms (`application/x-www-form-urlencoded`) of at most so many bytes, if a route says nothing else,
 * and of at most 16,384 fields.
 */
export function acceptForms(app: FastifyInstance, bodyLimit: number): void {
  const options = { parseAs: 'string', bodyLimit } as const
  app.addContentTypeParser('application/x-www-form-urlencoded', options, async (_request: unknown, form: string) => {
    if (hasMoreFields(form, MAX_FIELDS))
      throw problemError('invalid_body', `The form has more than ${MAX_FIELDS} fields`)
    return parse(form, undefined, undefined, { maxKeys: 0 })
  })
}

function hasMoreFields(form: string, most: number): boolean {
  let count = 1
  for (let at = form.indexOf('&'); at !== -1 && count <= most; at = form.indexOf('&', at + 1)) count += 1
  return count > most
}

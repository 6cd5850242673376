import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from '@sinclair/typebox'
import type { Action } from '../openapi/actions.ts'
import { NoQuery } from '../openapi/schema-parts.ts'
import { JSON_BODY } from './company-schemas.ts'

interface ActionRoutes<Name extends string> {
  /** The path of the thing, such as `/api-keys/:id`. */
  path: string
  tags: string[]
  params: TSchema
  /** The thing, as it is afterwards. */
  answer: TSchema
  actions: Readonly<Record<Name, Action>>
  run(request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply, name: Name): Promise<FastifyReply>
}

/** Adds a POST route for each action, below the path of the thing that it changes. */
export function addActionRoutes<Name extends string>(
  app: FastifyInstance,
  { path, tags, params, answer, actions, run }: ActionRoutes<Name>,
): void {
  for (const name of Object.keys(actions) as Name[]) {
    const { operationId, summary, description, problems } = actions[name]
    app.post<{ Params: { id: string } }>(
      `${path}/${name}`,
      {
        schema: {
          operationId,
          summary,
          description,
          tags,
          params,
          querystring: NoQuery,
          response: { 200: answer },
          problems,
        },
        ...JSON_BODY,
      },
      (request, reply) => run(request, reply, name),
    )
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema, TString } from '@sinclair/typebox'
import { type Action, describeAction } from '../openapi/actions.ts'
import type { AnswerOf } from '../server/type-provider.ts'
import { JSON_BODY } from './company-schemas.ts'

interface ActionRoutes<Name extends string, Answer extends TSchema> {
  /** The path of the thing, such as `/api-keys/:id`. */
  path: string
  params: TObject<{ id: TString }>
  /** The thing, as it is afterwards. */
  answer: Answer
  actions: Readonly<Record<Name, Action>>
  run(name: Name, id: string, request: FastifyRequest, reply: FastifyReply): Promise<AnswerOf<Answer>>
}

/** Adds a POST route for each action, below the path of the thing that it changes. */
export function addActionRoutes<Name extends string, Answer extends TSchema>(
  app: FastifyInstance,
  { path, params, answer, actions, run }: ActionRoutes<Name, Answer>,
): void {
  for (const name of Object.keys(actions) as Name[]) {
    app.post<{ Params: { id: string }; Reply: unknown }>(
      `${path}/${name}`,
      {
        schema: { ...describeAction(actions[name]), params, response: { 200: answer } },
        ...JSON_BODY,
      },
      (request, reply) => run(name, request.params.id, request, reply),
    )
  }
}

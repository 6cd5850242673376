import type { ProblemCode } from '#domain/errors'

/** What can be done with a thing by name alone, said once for the endpoint and for the page. */
export interface Action<Done extends string = string> {
  operationId: string
  summary: string
  description: string
  problems: readonly ProblemCode[]
  /** The verb on the button. */
  button: string
  /** What the page asks before it is done. Without it, the button acts immediately. */
  question?: string
  /** The word in the address of the page afterwards. */
  done: Done
  /** What the page says afterwards. */
  notice: string
}

/** What an action says in the schema of its endpoint. */
export function describeAction({ operationId, summary, description, problems }: Action) {
  return { operationId, summary, description, problems }
}

import type { TObject } from '@sinclair/typebox'
import type { AnswerOf } from '../server/type-provider.ts'

type CamelCase<Name> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name

/** The same members, named as in code. */
type InCamelCase<Members> = { readonly [Name in keyof Members as CamelCase<Name>]: Members[Name] }

/** Renders what a schema describes, and nothing else, from an object that has the same members in camel case. */
export function render<Schema extends TObject>(
  { properties }: Schema,
  from: InCamelCase<AnswerOf<Schema>>,
): AnswerOf<Schema> {
  const values = from as Record<string, unknown>
  const nameOf = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.keys(properties).map((name) => [name, values[nameOf(name)]])) as AnswerOf<Schema>
}

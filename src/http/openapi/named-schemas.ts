import { isDeepStrictEqual } from 'node:util'

type Json = Record<string, unknown>
type Properties = Record<string, Json>

/** Collects named schemas, so that the document defines each once and refers to it. */
export class NamedSchemas {
  readonly components: Record<string, object> = {}

  /**
   * Converts a schema for the document: every schema with an `$id`, at any depth, becomes a component of that name, and
   * the defaults of properties go into their descriptions. Throws if two different schemas have the same name.
   */
  refer(schema: object): object {
    // TypeBox keeps its metadata under symbols, which JSON drops.
    return this.#visit(JSON.parse(JSON.stringify(schema))) as object
  }

  #visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#visit(item))
    if (typeof value !== 'object' || value === null) return value
    const { $id: name, ...rest } = value as Json
    const members = Object.entries(rest).map(([key, member]) => {
      if (isData(key)) return [key, member] as const
      return [key, this.#visit(key === 'properties' ? describeDefaults(member as Properties) : member)] as const
    })
    const schema = Object.fromEntries(members)
    return typeof name === 'string' ? this.#name(name, schema) : schema
  }

  #name(name: string, schema: object): object {
    const existing = this.components[name]
    if (existing && !isDeepStrictEqual(existing, schema)) throw new Error(`two different schemas are called ${name}`)
    this.components[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  }
}

/** Whether a member holds values, not schemas. */
function isData(key: string): boolean {
  return key === 'examples' || key === 'default' || key === 'const' || key === 'enum'
}

/** Moves defaults into words: for some generators, a property with a `default` is mandatory, also in requests. */
function describeDefaults(properties: Properties): Properties {
  const described = Object.entries(properties).map(([name, property]) => {
    if (!Object.hasOwn(property, 'default')) return [name, property] as const
    const { default: value, description, ...schema } = property
    const isAll = isDeepStrictEqual(value, (schema['items'] as Json | undefined)?.['enum'])
    const words = `Default: ${isAll ? 'all' : `\`${JSON.stringify(value)}\``}.`
    return [name, { ...schema, description: [description, words].filter(Boolean).join(' ') }] as const
  })
  return Object.fromEntries(described)
}

import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'

/** The paths that programs of a company call: with a key, and to send files. */
const CALLED = /^\/(?:v1|admin\/v1\/uploads)(?:\/|$)/

/** Cuts out of a document what the client needs: these paths, the webhooks, and the components that they refer to. */
export function cutClientPart(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => CALLED.test(path)))
  const { webhooks } = document
  const needed = new Set(listReferences({ paths, webhooks }))
  // A set also visits what is added meanwhile.
  for (const reference of needed)
    for (const inner of listReferences(findComponent(document, reference))) needed.add(inner)
  const components = Object.fromEntries(
    Object.entries(document.components).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(`#/components/${kind}/${name}`))),
    ]),
  )
  return { ...document, paths, components: components as OpenApiDocument['components'] }
}

function listReferences(part: object): string[] {
  return [...JSON.stringify(part).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!)
}

/** Finds a component by its reference, `#/components/KIND/NAME`. */
function findComponent({ components }: OpenApiDocument, reference: string): object {
  const [, , kind, name] = reference.split('/')
  const component = components[kind!]?.[name!]
  if (!component) throw new Error(`The document has no component ${reference}`)
  return component
}

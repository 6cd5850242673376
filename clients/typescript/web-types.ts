/*
 * The types of the web that calls use, as the project that uses the package has them: from `@types/node` or from the
 * library `dom`. Without either, its declarations have to be valid, too.
 */

/** What is created by a global constructor of this name. */
type Instance<Name extends string> =
  typeof globalThis extends Record<Name, { prototype: infer Created }> ? Created : any

export type AbortSignal = Instance<'AbortSignal'>
export type Headers = Instance<'Headers'>
export type Request = Instance<'Request'>
export type Response = Instance<'Response'>
export type Fetch = typeof globalThis extends { fetch: infer Fetch } ? Fetch : any

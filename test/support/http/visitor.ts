import type { Service } from '../service.ts'
import { browse, type BrowseOptions } from './sessions.ts'

type Answer = Awaited<ReturnType<typeof browse>>

/** A browser that keeps its cookies. */
export interface Visitor {
  /** By name. */
  readonly cookies: Map<string, string>
  /** Opens a page or, with fields, sends a form. Does not follow redirects. */
  visit(path: string, form?: Record<string, string>, options?: BrowseOptions): Promise<Answer>
  /** Whether it is signed in. */
  isIn(): Promise<boolean>
  /** Another browser with copies of the cookies. */
  copy(): Visitor
}

/** Opens a browser, by default without cookies. */
export function openVisitor(service: Pick<Service, 'address'>, cookies = new Map<string, string>()): Visitor {
  const visitor: Visitor = {
    cookies,
    async visit(path, form, options = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await browse(service, path, { cookie, ...(form ? { form } : {}), ...options })
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (line.includes('Max-Age=0')) cookies.delete(name)
        else cookies.set(name, value)
      }
      return answer
    },
    isIn: async () => (await visitor.visit('/account')).status === 200,
    copy: () => openVisitor(service, new Map(cookies)),
  }
  return visitor
}

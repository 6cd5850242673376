import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import type { AddedUser } from '../../../src/accounts/users/change-user.ts'
import { type Answer, send, type Service } from '../service.ts'

/** The headers that a browser sends with requests from our own pages. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

interface PageAnswer {
  status: number
  /** The redirect target, if any, relative to the service. */
  location: string | null
  headers: http.IncomingHttpHeaders
  text: string
  /** The cookie it sets, as a browser sends it back; null when it sets none. */
  cookie: string | null
}

export interface BrowseOptions {
  cookie?: string | null
  /** The fields of a submitted form. */
  form?: Record<string, string> | undefined
  /** A submitted form with a file. */
  upload?: FormData | undefined
  /** Replaces the headers of our own pages. */
  headers?: Record<string, string>
  /** The network address that the request comes from. */
  from?: string
}

/** One browser request without following redirects. A form makes it a POST. (fetch would add its own metadata.) */
export async function browse(
  service: Pick<Service, 'address'>,
  path: string,
  options: BrowseOptions = {},
): Promise<PageAnswer> {
  const { cookie, form, upload, headers = OWN_PAGE, from } = options
  const encoded = upload ? new Response(upload) : form ? new Response(new URLSearchParams(form)) : null
  const body = encoded && Buffer.from(await encoded.arrayBuffer())
  const content = encoded ? { 'content-type': encoded.headers.get('content-type')! } : {}
  const request = http.request(service.address + path, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, ...content, ...(cookie ? { cookie } : {}) },
    agent: false,
    ...(from === undefined ? {} : { localAddress: from }),
  })
  request.end(body ?? undefined)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const [given] = response.headers['set-cookie'] ?? []
  return {
    status: response.statusCode!,
    location: response.headers.location ?? null,
    headers: response.headers,
    text: await text(response),
    cookie: given === undefined || given.includes('Max-Age=0') ? null : given.split(';', 1)[0]!,
  }
}

/** Signs a user in and returns the cookie. */
export async function cookieOf(
  service: Pick<Service, 'address'>,
  { email, password }: Pick<AddedUser, 'email' | 'password'>,
): Promise<string> {
  const { cookie, status } = await browse(service, '/sign-in', { form: { email, password } })
  if (cookie === null) throw new Error(`signing in was answered with ${status}`)
  return cookie
}

/** Whether a cookie is accepted. */
export async function letsIn(service: Service, cookie: string): Promise<boolean> {
  return (await browse(service, '/account', { cookie })).status === 200
}

const sessions = new WeakMap<object, Promise<string>>()

/** Issues a token through the admin endpoint, in a session of the user and with the password. */
export async function issueToken(
  service: Service,
  user: Pick<AddedUser, 'email' | 'password'>,
  body: object = { name: 'CI' },
): Promise<Answer> {
  const cookie = sessions.get(user) ?? cookieOf(service, user)
  sessions.set(user, cookie)
  return send(service.address, 'POST', '/admin/v1/tokens', {
    headers: { ...OWN_PAGE, cookie: await cookie },
    body: { current_password: user.password, ...body },
  })
}

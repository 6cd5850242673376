import { hostileFiles } from '../support/files/hostile-files.ts'
import { browse } from '../support/http/sessions.ts'
import type { Service } from '../support/service.ts'
import { send } from '../support/service.ts'
import type { World } from './world.ts'

/** Files of a batch, and the bytes of each at most. The long test of `test/fairness` sends larger ones. */
const FILES = 4
const MAX_BYTES = 262_144

const SHAPES = [...hostileFiles(MAX_BYTES)]

/**
 * Uploads files of hostile shapes, through the API and the page, while another company's client makes calls. Each file is
 * stored or refused with a problem, and each call answered. Returns what is wrong.
 */
export async function uploadHostileFiles(
  { address, company: good }: Service,
  { credentials }: World,
  seed: number,
): Promise<string[]> {
  const found: string[] = []
  for (let at = 0; at < FILES; at += 1) {
    const { name, type, content } = SHAPES[(seed * FILES + at) % SHAPES.length]!
    const upload = new FormData()
    upload.set('file', new Blob([new Uint8Array(content)]), 'staff.csv')
    const { cookie, ...headers } = Object.fromEntries(credentials('admin session')) as Record<string, string>
    const [api, page, call] = await Promise.all([
      send(address, 'POST', '/admin/v1/uploads', {
        key: null,
        headers: { ...Object.fromEntries(credentials('admin')), 'content-type': type },
        body: content,
      }),
      browse({ address }, '/settings/bulk-user-logs/upload', { cookie: cookie!, headers, upload }),
      send(address, 'GET', '/v1/auth/verify', { key: good.key }),
    ])
    const isExpected = [201, 303, 422].includes(api.status) || api.body.code === 'too_many_uploads'
    if (!isExpected) found.push(`a file of ${name} is answered with ${api.status} ${JSON.stringify(api.body)}`)
    if (![303, 409, 422].includes(page.status)) found.push(`a form with ${name} is answered with ${page.status}`)
    if (call.status !== 200) found.push(`a call of another company, while ${name} is read: ${call.status}`)
  }
  return found
}

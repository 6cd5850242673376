import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { paths } from '@employee-ledger/client'

type Upload = paths['/admin/v1/uploads/{id}']['get']['responses'][200]['content']['application/json']
type Missing = paths['/admin/v1/uploads/{id}/missing']['put']['responses'][200]['content']['application/json']

/**
 * Makes the employees match the file of an HR system, apart from rows that cannot be applied, and returns a line to mail
 * and an exit code: 0 if every row was applied. Deactivates the people who are not in the file if they are at most
 * `atMost`, and nobody by default. What its columns mean was chosen once, on the page **Upload file**. After a failure,
 * run it again: what is applied already is then unchanged.
 */
export async function nightlySync(service: string, token: string, file: string, atMost = 0) {
  const call = (method: string, path: string, body?: Buffer<ArrayBuffer>) => {
    const authorization = `Bearer ${token}`
    const sent = body ? { body, headers: { authorization, 'content-type': 'application/octet-stream' } } : {}
    return fetch(`${service}/admin/v1/uploads${path}`, { method, headers: { authorization }, ...sent })
  }
  const read = async <Body>(answer: Response): Promise<Body> => {
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Body
  }
  const { id } = await read<Upload>(
    await call('POST', `?file_name=${encodeURIComponent(basename(file))}`, await readFile(file)),
  )
  const settle = async (): Promise<Upload> => {
    const upload = await read<Upload>(await call('GET', `/${id}`))
    if (upload.state !== 'previewing' && upload.state !== 'applying') return upload
    return pause(1_000).then(settle)
  }
  const { needs_review: isNew, summary: before } = await settle()
  if (isNew) return { text: `${before.text}; choose what its columns mean on the page Upload file`, exitCode: 1 }
  // Refused if rows have errors, because then somebody may seem to be missing.
  const listed = atMost > 0 ? await call('PUT', `/${id}/missing`) : null
  const missing = listed?.ok ? (await read<Missing>(listed)).count : 0
  const deactivate = missing > atMost ? 0 : missing
  if (deactivate < missing) await call('DELETE', `/${id}/missing`)
  await call('POST', `/${id}/apply?all_or_none=false&deactivate=${deactivate}`)
  const { state, summary } = await settle()
  const kept = deactivate < missing ? `; ${missing} not in the file, more than ${atMost}: none deactivated` : ''
  const isDone = state === 'ended' && summary.applied === summary.rows && kept === '' && (listed?.ok ?? true)
  return { text: summary.text + kept, exitCode: isDone ? 0 : 1 }
}

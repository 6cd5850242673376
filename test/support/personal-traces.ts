import type { AttributeName } from '../../src/domain/attributes.ts'
import { browse, cookieOf } from './http/sessions.ts'
import { storeDelivery } from './http/stored-deliveries.ts'
import type { Service } from './service.ts'
import { employee, send } from './service.ts'
import { makeWebhook } from './stored-webhooks.ts'

/** What the values of the person contain, which nobody else has. */
export const WORDS = [
  'Zyxelda',
  'Quuxwörth',
  'zq7canary',
  'zq7-old-canary',
  'HRzq7',
  '+34907070707',
  'Chief Zorbler',
  'grade zorp',
  'emp zq number',
  'zq7login',
  'zq7entry',
]

/** What several people have, or what names somebody else. */
type Shared = 'department' | 'division' | 'location' | 'manager_id' | 'start_date' | 'termination_date' | 'status'

export const PERSON = {
  first_name: 'Zyxelda',
  last_name: 'Quuxwörth',
  email: 'zq7-old-canary@zorb.example',
  external_id: 'HRzq7-1',
  user_name: 'zq7login',
  directory_external_id: 'zq7entry',
  employee_number: 'emp zq number',
  phone: '+34907070707',
  job_title: 'Chief Zorbler',
  custom_attributes: { grade: 'grade zorp' },
} satisfies Record<Exclude<AttributeName, Shared>, unknown>
const EMAIL = 'zq7canary@zorb.example'
const EXTERNAL_ID = 'HRzq7-2'
/** What is only known of the person. */
const SECRETS = { last_name: PERSON.last_name, phone: PERSON.phone }
/** The same as a body that cannot be read. */
const UNREADABLE = JSON.stringify(SECRETS).slice(0, -1)

/** Of a service in which traces are left: files become several parts. */
export const SETTINGS = { MAX_RECORDS: '3' }

/**
 * Leaves a person in everything that the service stores, apart from files if nobody wants them, and runs `midway` after
 * the first calls. Returns the person's id.
 */
export async function leaveTraces(
  service: Service,
  midway: () => Promise<unknown>,
  { uploads = true } = {},
): Promise<string> {
  const id = await makeCalls(service, midway)
  await sendUnreadableBodies(service, id)
  if (uploads) await uploadFiles(service, id)
  await lookAround(service, id)
  await answerMessages(service)
  return id
}

const queryOf = (values: Record<string, string>) => new URLSearchParams(values).toString()

/** Calls of every kind, good and refused. */
async function makeCalls({ call }: Service, midway: () => Promise<unknown>): Promise<string> {
  let keys = 0
  const keyed = (body: unknown) => ({ body, headers: { 'idempotency-key': `key-${(keys += 1)}` } })
  const before = await call('POST', '/v1/employees', keyed([employee(), employee({ external_id: 'other' })]))
  // Refused before the person exists: a creation, a patch by email, and a manager.
  await call('POST', '/v1/employees', keyed({ ...PERSON, phone: 'Zyxelda' }))
  await call('PATCH', '/v1/employees', keyed([{ email: PERSON.email, first_name: PERSON.first_name }]))
  await call('POST', '/v1/employees', keyed([employee({ manager_email: PERSON.email, manager_id: 'x' })]))
  const { body } = await call('POST', '/v1/employees', keyed([employee(), PERSON]))
  const { id } = body.employees[1]
  await midway()
  // Beside records that were applied: one of the person, and one that names the person as a manager.
  const partly = '/v1/employees?all_or_none=false'
  await call('PUT', partly, keyed([employee(), { ...PERSON, ...SECRETS, status: 'x' }]))
  await call('POST', partly, keyed([employee(), employee({ manager_email: PERSON.email, phone: 'Zyxelda' })]))
  const path = `/v1/employees/${id}`
  await call('PATCH', path, keyed({ email: EMAIL, external_id: EXTERNAL_ID }))
  await call('PATCH', path, keyed({ job_title: 'Chief Zorbler' }))
  await call(
    'PATCH',
    '/v1/employees',
    keyed([{ id, custom_attributes: { grade: 'grade zorp 2' } }, { external_id: 'other' }]),
  )
  await call('PUT', '/v1/employees', keyed([{ external_id: EXTERNAL_ID, location: 'Chief Zorbler' }]))
  await call('PATCH', path, keyed({ status: 'inactive' }))
  await call('PATCH', path, keyed({ last_name: 'Quuxwörth', phone: 'zq7canary' }))
  await call('PATCH', path, keyed({ zq7canary: 'Zyxelda' }))
  await call('PATCH', path, { body: SECRETS, headers: { 'if-match': '"99"' } })
  await call('PATCH', `${path}?zq7canary=Zyxelda`, keyed(SECRETS))
  await call('PATCH', '/v1/employees', keyed([{ external_id: 'HRzq7-1', job_title: 'Chief Zorbler' }]))
  await call('PATCH', '/v1/employees', keyed([{ external_id: 'other', email: 'ZQ7canary@zorb.example' }]))
  await call('PATCH', '/v1/employees', keyed([{ external_id: 'other', manager_id: id }]))
  await call(
    'PATCH',
    `/v1/employees/${before.body.employees[0].id}`,
    keyed({ manager_external_id: EXTERNAL_ID, phone: '1' }),
  )
  // Records that somebody meant for the person, but wrote otherwise.
  const encoded = [EMAIL.replace('@', '%40'), EMAIL.replace('@', String.raw`\u0040`)]
  for (const text of encoded) await call('POST', '/v1/employees', keyed([{ ...SECRETS, email: text, status: 'x' }]))
  await call('PATCH', `${path}?validate_only=true`, { body: { last_name: 'Quuxwörth' } })
  return id
}

/** Bodies that cannot be read, which name the person in the path, in the query, or in their text. */
async function sendUnreadableBodies({ call }: Service, id: string): Promise<void> {
  const long = `{"notes": "${'x'.repeat(40_000)}", ${UNREADABLE.slice(1)}`
  const unreadable = [UNREADABLE, long, `${UNREADABLE}, "x": "\\ud800"}`, `[${UNREADABLE}}]`, `{}${UNREADABLE}`]
  for (const path of [id, EMAIL, EXTERNAL_ID, PERSON.email, PERSON.external_id])
    for (const body of unreadable) await call('PATCH', `/v1/employees/${encodeURIComponent(path)}`, { body })
  for (const method of ['POST', 'PATCH', 'PUT'] as const) {
    for (const name of [{ id }, { email: EMAIL }, { external_id: EXTERNAL_ID }]) {
      await call(method, '/v1/employees', { body: `[${JSON.stringify({ ...name, ...SECRETS })}` })
      await call(method, `/v1/employees?${queryOf(name)}`, { body: UNREADABLE })
      const form = queryOf({ ...name, ...SECRETS })
      await call(method, '/v1/employees', { body: form })
    }
    const inJson = JSON.stringify(`[{"email":"${EMAIL.replace('@', String.raw`\u0040`)}"`)
    await call(method, '/v1/employees', { body: `[{"sent": ${inJson}, ${UNREADABLE.slice(1)}` })
  }
}

/** Files that are previewed, applied, refused, corrected, and named after the person. */
async function uploadFiles({ address, call, company, manage, admin }: Service, id: string): Promise<void> {
  const upload = async (fileName: string, content: string, { type = 'text/csv', query = '' } = {}) => {
    const answer = await send(address, 'POST', `/admin/v1/uploads?${queryOf({ file_name: fileName })}${query}`, {
      key: null,
      body: content,
      headers: { 'content-type': type, authorization: `Bearer ${company.admin.token}` },
    })
    if (answer.status !== 201) throw new Error(`${fileName}: ${JSON.stringify(answer.body)}`)
    return answer.body.id as string
  }
  const preview = (uploadId: string) => admin(`/uploads/${uploadId}/parts/1/preview`)
  const apply = (uploadId: string) => manage('POST', `/uploads/${uploadId}/apply`)
  const failed = await call('PATCH', '/v1/employees', { body: [{ ...SECRETS, id, status: 'x' }] })
  const row = `${EXTERNAL_ID},Zyxelda,Quuxwörth,${EMAIL}`
  const header = 'external_id,first_name,last_name,email'

  await apply(await upload(`all of ${EMAIL}.csv`, `${header}\n${row}\n`))
  await apply(await upload('refused.csv', `${header}\n${row}x y\n`, { query: `&corrects=${failed.body.log_id}` }))
  const json = JSON.stringify([
    { ...PERSON, status: 'x' },
    { first_name: 'Zyxelda', manager_email: EMAIL },
  ])
  await apply(await upload(`${EMAIL.replace('@', '%40')}.json`, json, { type: 'application/json' }))
  // These are only previewed. A user keeps five.
  const others = Array.from({ length: 5 }, (_, at) => `other-${at},Bo,B,bo.${at}@example.com`)
  await preview(await upload('parts.csv', [header, ...others, row].join('\n')))
  // Its first line is no header, but a person.
  await preview(await upload('no header.csv', [row, ...others.slice(0, 2)].join('\n')))
  const mapped = await upload('columns.csv', `external_id,${EMAIL}\nother,Zyxelda\n`)
  const columns = [
    { header: 'external_id', to: 'external_id' },
    { header: EMAIL, to: 'custom', name: EMAIL },
  ]
  await manage('PUT', `/uploads/${mapped}/mapping`, { columns })
  // Columns without a name.
  await preview(await upload('unnamed.csv', `external_id,,,first_name\nother,${EMAIL},x,Zyxelda\n`))
  await preview(await upload(`${EXTERNAL_ID}.csv`, `id,phone,notes\n${id},${PERSON.phone},"Zyxelda ""Q"""\n`))
}

/** What administrators look for and look at. */
async function lookAround(service: Service, id: string): Promise<void> {
  const { admin, call, company, manage } = service
  await call('GET', `/v1/employees/${id}`)
  for (const q of [EMAIL, EXTERNAL_ID, 'Zyxelda']) {
    await call('GET', `/v1/employees?${queryOf({ q })}`)
    await admin(`/bulk-user-logs?${queryOf({ q })}`)
    await admin(`/bulk-user-logs?${queryOf({ employee: q })}`)
    await manage('POST', '/secrets/find', { query: q })
  }
  for (const format of ['json', 'html']) await manage('POST', '/personal-data-reports', { employee_id: id, format })
  const cookie = await cookieOf(service, company.admin)
  await browse(service, '/settings/search', { cookie, form: { q: EMAIL } })
  await browse(service, `/settings/employees/${id}/erase`, { cookie })
  await browse(service, '/settings/ledger/evidence', { cookie, form: { employee: EMAIL } })
}

/** Receivers that answer what they were told: of events of the person, and of refused calls that name them. */
async function answerMessages({ pool, company }: Service): Promise<void> {
  const webhook = await makeWebhook({ pool, company }, undefined, { include_data: true })
  const { rows } = await pool.query<{ position: number }>(
    `select position from events e where data ~* 'zq7|zyxelda' and type ~ '^Employee'
       or type = 'ApiCallFailed' and exists (
         select from rejected_bodies b where b.company_id = e.company_id and b.position = e.position)`,
  )
  for (const { position } of rows)
    await storeDelivery(pool, company.id, webhook.id, { position, answer: `thanks for ${EMAIL}` })
}

import { sql } from 'kysely'
import { addUser } from '../../../src/accounts/users/change-user.ts'
import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { hostileFiles } from '../../support/files/hostile-files.ts'
import { send } from '../../support/service.ts'
import type { Happened } from '../fault.ts'
import { findings } from '../oracle/finding.ts'
import type { Stage } from '../stage.ts'
import { hostileCaller } from './hostile-caller.ts'

const MAX_BYTES = 1_048_576
const FILES = 6
const ERASURES = 3

/**
 * The administrator of a company uploads files of hostile shapes to any process, while its client names people only in
 * the paths of calls that can't be read. Each of these is erased as soon as the call is answered, through another
 * process.
 */
export async function uploadHostileFiles(stage: Stage, random: SeededRandom): Promise<Happened> {
  const [company] = await stage.makeCompanies(1)
  const { companyId } = company!
  const name = `files-${random.below(1_000_000_000)}`
  const caller = hostileCaller(company!, name)
  const admin = await stage.withServices((services) =>
    addUser(services, { companyId, email: `${name}@example.com`, name: 'Admin', role: 'admin' }),
  )
  const address = () => random.pick(stage.apis).address
  const manage = (path: string, type: string, body: Buffer | string) => {
    const headers = { authorization: `Bearer ${admin.token}`, 'content-type': type }
    return send(address(), 'POST', `/admin/v1${path}`, { key: null, headers, body })
  }
  const wrong: string[] = []

  async function upload(): Promise<void> {
    for (const { name: shape, type, content } of random.sample([...hostileFiles(MAX_BYTES)], FILES)) {
      const { status, body } = await manage('/uploads', type, content)
      const isExpected = status === 201 || status === 422 || body.code === 'too_many_uploads'
      if (!isExpected) wrong.push(`a file of ${shape} is answered with ${status} ${JSON.stringify(body)}`)
    }
  }

  async function erase(): Promise<void> {
    for (let at = 0; at < ERASURES; at += 1) {
      const person = `${name}/${at}@example.com`
      const body = `{"last_name":"Secret of ${name} ${at}"`
      const path = `/v1/employees/${encodeURIComponent(person)}`
      await caller.send(address(), { method: 'PATCH', path, body, records: 1 })
      const erased = await manage('/erasures', 'application/json', JSON.stringify({ external_id: person }))
      const kept = await stage.withDatabase((db) =>
        sql`select from rejected_bodies where company_id = ${toUuid(companyId)} and body = ${body}`.execute(db),
      )
      if (erased.status !== 200 || kept.rows.length > 0)
        wrong.push(`erasing ${person} is answered with ${erased.status}, and ${kept.rows.length} bodies stay`)
    }
  }

  await Promise.all([upload(), erase()])
  const { operations } = caller
  return { times: FILES, companyIds: [companyId], operations, wrong: findings('fault', wrong) }
}

import type { Test } from 'tap'
import type { Projection } from '../../projections/projection.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { openMaintenance } from '../../src/bootstrap/store.ts'
import { type RebuildOptions, type RebuildOutcome, rebuild } from '../../src/workers/rebuild.ts'
import type { Verification } from '../../src/workers/verify.ts'
import { verifyProjection } from '../../src/workers/verify.ts'
import { asSuperuser } from './postgres/as-superuser.ts'
import type { Service, TestCompany } from './service.ts'
import { employee } from './service.ts'

const NEVER = new AbortController().signal
const SILENT = { signal: NEVER, onBegun: () => undefined, onFolded: () => undefined }

/** What the owner of a service's database can do with its projections. */
interface Rebuilding {
  db: RebuildOptions['db']
  handOver: RebuildOptions['handOver']
  rebuild(projection: Projection, options?: Partial<RebuildOptions>): Promise<RebuildOutcome>
  verify(projection: Projection, options?: { companyId?: string; showValues?: boolean }): Promise<Verification>
}

export async function openRebuilding(t: Test, service: Service): Promise<Rebuilding> {
  const { db, handOver, close } = await openMaintenance(service.urls)
  t.teardown(close)
  return {
    db,
    handOver,
    rebuild: (projection, options) => rebuild(projection, { ...SILENT, db, handOver, restart: false, ...options }),
    verify: (projection, options) => verifyProjection(db, projection, { ...SILENT, showValues: false, ...options }),
  }
}

/** Makes this many creations of three employees, each with an update, a deactivation and a refusal. */
export async function makeHistory(service: Service, company: TestCompany, rounds: number): Promise<void> {
  const { key } = company
  for (let at = 0; at < rounds; at += 1) {
    const { body } = await service.call('POST', '/v1/employees', { key, body: [employee(), employee(), employee()] })
    const [first, second] = body.employees as { id: string; email: string }[]
    const patches = [
      { id: first!.id, status: 'inactive', location: 'X' },
      { id: second!.id, job_title: `Dev ${at}` },
    ]
    await service.call('PATCH', '/v1/employees', { key, body: patches })
    await service.call('POST', '/v1/employees', { key, body: employee({ email: second!.email }) })
  }
}

/** Makes a company's last event unreadable, or repairs it. */
export async function poison(service: Service, companyId: string, isHealed = false): Promise<void> {
  const [from, to] = isHealed ? ['NobodyKnows', 'ApiCall'] : ['ApiCall', 'NobodyKnows']
  const last = `position = (select position from heads h where h.company_id = e.company_id)`
  await asSuperuser(
    service.urls.superUrl,
    `update events e set type = replace(type, '${from}', '${to}') where company_id = '${toUuid(companyId)}' and ${last}`,
  )
}

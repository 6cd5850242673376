import { pino } from 'pino'
import type { Test } from 'tap'
import { openPublishing } from '../../../src/bootstrap/witnesses.ts'
import { createSigner } from '../../../src/bootstrap/keys.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import type { Service } from '../service.ts'
import { employee, startService } from '../service.ts'
import type { TestWitness } from './test-witness.ts'
import { startWitness } from './test-witness.ts'

/** Publishes the checkpoints of a service in a round of its own, as a worker does every minute. */
export async function publishOnce(service: Service, signal = new AbortController().signal): Promise<void> {
  const { config, urls, pool, db, companiesTogether, open } = service
  const log = pino({ level: 'silent' })
  const store = { pool, db, companiesTogether, open } as Parameters<typeof openPublishing>[0]['store']
  const publishing = openPublishing({ config, urls, store, log }, await createSigner(config))
  try {
    await publishing.publish(signal)
  } finally {
    await publishing.stop()
  }
}

/** The settings of a service with several witnesses. */
export function settingsOf(witnesses: TestWitness[], quorum: number) {
  return {
    WITNESS_URLS: witnesses.map(({ url }) => url).join(', '),
    WITNESS_KEYS: witnesses.map(({ key }) => key.verifierKey).join(', '),
    WITNESS_QUORUM: String(quorum),
    OUTGOING_PRIVATE: '1',
  }
}

/** Lets the witnesses know the ledger of the service's company. */
export async function introduce(service: Service, ...witnesses: TestWitness[]): Promise<void> {
  const { body } = await service.audit('/keys')
  for (const witness of witnesses) witness.know(body.items[0].public_key)
}

/** Makes a call that adds two events to the ledger. */
export async function addEvents(service: Service): Promise<void> {
  const { status } = await service.call('POST', '/v1/employees', { body: employee() })
  if (status !== 201) throw new Error(`the call got ${status}`)
}

/** Lets the next round try again what failed in an earlier one, or is under way. */
export async function passTime({ db }: Service): Promise<void> {
  await db.updateTable('witness_progress').set({ due_at: '2000-01-01T00:00:00Z' }).execute()
}

export const checkpointOf = async (service: Service) => (await service.audit('/checkpoint')).body

/** How far the witnesses of a service have cosigned the ledger of its company. */
export const progressOf = ({ db, company }: Service) =>
  db
    .selectFrom('witness_progress')
    .select(['size', 'attempts', 'fault', 'error'])
    .where('company_id', '=', toUuid(company.id))
    .execute()

/** What needs the attention of the company's administrators. */
export const attentionOf = async (service: Service) => (await service.admin('/attention')).body.items

/** Starts a service with a witness that knows its company's ledger. */
export async function startWitnessed(t: Pick<Test, 'teardown'>) {
  const witness = await startWitness(t, 'w1')
  const service = await startService(t, witness.settings)
  await introduce(service, witness)
  return { witness, service, origin: `employee-ledger/${service.company.id}` }
}

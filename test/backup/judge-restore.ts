import { rename } from 'node:fs/promises'
import path from 'node:path'
import { createNotes, createSigner } from '../../src/bootstrap/keys.ts'
import { readConfig } from '../../src/config.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { freePort } from '../support/processes/free-port.ts'
import { RefusedToSignError } from '../../src/ledger/audit/sign-checkpoint.ts'
import type { LedgerDb } from '../../src/ledger/tables.ts'
import type { Cluster } from '../faults/cluster.ts'
import { urlsNow } from '../faults/cluster.ts'
import { oracle } from '../faults/oracle/oracle.ts'
import { supervise } from '../faults/program.ts'
import type { Stage } from '../faults/stage.ts'
import { withDatabase } from '../faults/stage.ts'
import type { LoadedCompany, Operation } from '../faults/workload.ts'
import type { Ended } from '../support/processes/cli.ts'
import { launch } from '../support/processes/cli.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/service.ts'

/** The result of one kind of restore. */
export interface RestoreReport {
  way: string
  /** Calls that were definitely answered, and how many of them the restored ledger does not have. */
  answered: number
  lost: number
  /** The exit codes of `audit verify` for the ledgers, against the last external checkpoints. */
  verdicts: number[]
  /** Whether checkpoints were refused until the operator had acted. */
  refused: boolean
  /** Each deviation from the runbook, one line each. */
  wrong: string[]
}

interface RestoreBounds {
  companies: LoadedCompany[]
  operations: Operation[]
  /** The programs' settings: the signing key, and a copy of the external checkpoints. */
  settings: Record<string, string>
  /** Calls answered before this time of the load must be there. */
  answeredUntil: number
  /** Calls sent from this time on can't be there. */
  sentFrom?: number
}

const CONSISTENT = 0
const DIVERGED = 3

/** Takes the runbook's steps after a restore, and checks what it promises about each. */
export async function judgeRestore(
  stage: Stage,
  cluster: Cluster,
  bounds: RestoreBounds,
): Promise<Omit<RestoreReport, 'way'>> {
  const { companies, operations, settings } = bounds
  const ids = companies.map(({ companyId }) => companyId)
  const { serviceUrl, ownerUrl } = urlsNow(cluster)
  const environment = { DATABASE_URL: serviceUrl, MIGRATE_DATABASE_URL: ownerUrl, DATA_DIR: stage.folder, ...settings }
  const run: Run = (...args) => launch(stage.cleanup, args, environment).ended
  const answered = operations.filter(({ final }) => final !== null)
  const present = await withDatabase(cluster, (db) => storedCalls(db, ids))
  const isThere = ({ final }: Operation) => present.has(toUuid(final!.body.log_id!))
  const lost = answered.filter((operation) => !isThere(operation))
  const wrong = [...boundFaults(answered, lost, bounds)]

  const [verdicts, { stdout }] = await Promise.all([
    Promise.all(ids.map((id) => verify(run, settings, id))),
    run('doctor', '--json'),
  ])
  const expected = lost.length === 0 ? CONSISTENT : DIVERGED
  if (!verdicts.every((verdict) => verdict === expected))
    wrong.push(`audit verify ended with ${verdicts.join()} instead of ${expected}`)
  const isRolledBack = stdout.includes('it was rolled back or changed')
  if (isRolledBack !== lost.length > 0)
    wrong.push(`doctor says that the database was ${isRolledBack ? '' : 'not '}rolled back`)

  const refusals = await refusedOf(environment, cluster, ids)
  if (refusals !== (lost.length > 0 ? ids.length : 0))
    wrong.push(`checkpoints of ${refusals} of ${ids.length} companies were refused`)
  // The operator decides to go on without the lost calls.
  if (refusals > 0)
    for (const id of ids) await rename(notesOf(settings, id), `${notesOf(settings, id)}.before-the-loss`)
  if ((await refusedOf(environment, cluster, ids)) > 0) wrong.push('checkpoints are still refused')

  wrong.push(...(await runAgain(stage, cluster, environment, bounds, lost)))
  return { answered: answered.length, lost: lost.length, verdicts, refused: refusals > 0, wrong }
}

type Run = (...args: string[]) => Promise<Ended>

/** Exports a ledger and compares it with the last external checkpoints. Returns the exit code. */
async function verify(run: Run, settings: Record<string, string>, id: string): Promise<number> {
  const file = path.join(settings['CHECKPOINT_DIR']!, `${id}.ndjson`)
  await run('audit', 'export', '--company', id, '--out', file)
  return (await run('audit', 'verify', file, '--checkpoint', notesOf(settings, id))).exitCode!
}

function boundFaults(
  answered: Operation[],
  lost: Operation[],
  { answeredUntil, sentFrom = Infinity }: RestoreBounds,
): string[] {
  const answeredAt = ({ attempts }: Operation) => attempts.at(-1)!.at + attempts.at(-1)!.took
  const tooMuch = lost.filter((operation) => answeredAt(operation) < answeredUntil)
  const tooLittle = answered.filter((operation) => !lost.includes(operation) && operation.attempts[0]!.at > sentFrom)
  return [
    ...tooMuch.map(({ id }) => `${id} is lost, and had been answered before`),
    ...tooLittle.map(({ id }) => `${id} is there, and was sent later`),
  ]
}

/** The ids of all calls in the ledger. */
async function storedCalls(db: LedgerDb, companyIds: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('events')
    .select('stream_id')
    .where('company_id', 'in', companyIds.map(toUuid))
    .execute()
  return new Set(rows.map((row) => row.stream_id))
}

function notesOf(settings: Record<string, string>, companyId: string): string {
  return path.join(settings['CHECKPOINT_DIR']!, `${companyId}.notes`)
}

/** For how many companies signing is refused. */
async function refusedOf(environment: Record<string, string>, cluster: Cluster, ids: string[]): Promise<number> {
  const signer = await createSigner(readConfig(environment))
  return withDatabase(cluster, async (db) => {
    let refused = 0
    for (const id of ids) {
      await signer.sign(db, id).catch((error: unknown) => {
        if (!(error instanceof RefusedToSignError)) throw error
        refused += 1
      })
    }
    return refused
  })
}

/** Starts the program on the restored database, and asks the oracle of the load about it. */
async function runAgain(
  stage: Stage,
  cluster: Cluster,
  environment: Record<string, string>,
  { companies, operations }: RestoreBounds,
  lost: Operation[],
): Promise<string[]> {
  const { DATABASE_URL: databaseUrl, MIGRATE_DATABASE_URL: _, ...settings } = environment
  const [api, worker] = await Promise.all(
    (['serve', 'work'] as const).map(async (command) => {
      const part = supervise(stage.cleanup, { command, databaseUrl: databaseUrl!, port: await freePort(), settings })
      await part.ready()
      return part
    }),
  )
  const ids = companies.map(({ companyId }) => companyId)
  const kept = operations.filter((operation) => !lost.includes(operation))
  await eventually('the projections have caught up', async () =>
    withDatabase(cluster, (db) => isCaughtUp(db, { companyIds: ids })),
  )
  const faults = (await withDatabase(cluster, (db) => oracle(db, ids, kept))).map(({ text }) => text)
  const notes = createNotes(readConfig(environment))
  for (const id of ids) {
    const head = await withDatabase(cluster, (db) =>
      db.selectFrom('heads').select('position').where('company_id', '=', toUuid(id)).executeTakeFirstOrThrow(),
    )
    await eventually('checkpoints are recorded again', async () => (await notes.last(id))?.size === head.position)
  }
  faults.push(...(await repeatFaults(api!.address, companies, { kept, lost })))
  await Promise.all([api!.stop(), worker!.stop()])
  return faults
}

/** A creation that is sent again must get the kept call's answer, or be carried out if it was lost. */
async function repeatFaults(
  address: string,
  companies: LoadedCompany[],
  { kept, lost }: { kept: Operation[]; lost: Operation[] },
): Promise<string[]> {
  const again = async ({ id, companyId, path: of, body }: Operation) => {
    const { key } = companies.find((company) => company.companyId === companyId)!
    return send(address, 'POST', of, { key, headers: { 'idempotency-key': id }, body })
  }
  const isCreation = ({ final }: Operation) => final?.status === 201
  const faults: string[] = []
  const [known, gone] = [kept.findLast(isCreation), lost.find(isCreation)]
  if (known && (await again(known)).body.log_id !== known.final!.body.log_id)
    faults.push(`${known.id}: is another call when it is sent again`)
  const answer = gone && (await again(gone))
  if (answer && (answer.status !== 201 || answer.body.log_id === gone.final!.body.log_id))
    faults.push(`${gone.id}: is lost, and not carried out when it is sent again`)
  return faults
}

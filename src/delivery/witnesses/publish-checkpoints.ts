import type { Logger } from 'pino'
import type { CheckpointSigner } from '../../ledger/audit/sign-checkpoint.ts'
import { trackWork } from '../../ledger/background/failing-work.ts'
import { inCompany } from '../../postgres/company-scope.ts'
import { forgetOthers, listDue, nameOfWitness } from './progress.ts'
import { publishCheckpoint, type PublishServices, type SignedNote } from './publish-checkpoint.ts'
import type { Witness } from './submit-checkpoint.ts'

interface RoundServices extends PublishServices {
  signer: CheckpointSigner
  witnesses: readonly Witness[]
  log: Logger
}

interface Round {
  /** Ends the round. */
  signal: AbortSignal
  /** Milliseconds after which a round begins no further submission. Default: 45 seconds. */
  roundMs?: number
}

const ROUND_MS = 45_000
/** Submissions to one witness at once. */
const LANES = 8
/** Submissions without an answer, one after the other, after which a witness is left alone until the next round. */
const MAX_UNANSWERED = 3

/**
 * Submits the checkpoint of every company that has changed to all witnesses. Each witness has its own time, so one that
 * hangs keeps no other waiting; all get the same checkpoint of a company, so that it can reach a quorum. Safe to run in
 * several processes at once.
 */
export async function publishCheckpoints(services: RoundServices, round: Round): Promise<void> {
  const { pool, witnesses, signer } = services
  await forgetOthers(
    pool,
    witnesses.map(({ key }) => nameOfWitness(key)),
  )
  if (!signer.isSigning) return
  const checkpoints = new Map<string, Promise<SignedNote>>()
  const sign = async (companyId: string): Promise<SignedNote> => {
    const { note, size } = await signer.sign(services.db, companyId)
    return { note, size }
  }
  const signOnce = (companyId: string) => {
    const signed = checkpoints.get(companyId) ?? sign(companyId)
    checkpoints.set(companyId, signed)
    return signed
  }
  await Promise.all(witnesses.map((witness) => publishTo(services, witness, signOnce, round)))
}

async function publishTo(
  services: RoundServices,
  witness: Witness,
  sign: (companyId: string) => Promise<SignedNote>,
  { signal, roundMs = ROUND_MS }: Round,
): Promise<void> {
  const endsAt = performance.now() + roundMs
  const name = nameOfWitness(witness.key)
  const ledgers = (await listDue(services.pool, name)).values()
  let unanswered = 0
  const lane = async () => {
    for (const due of ledgers) {
      const { companyId } = due
      if (signal.aborted || unanswered >= MAX_UNANSWERED || performance.now() > endsAt) return
      try {
        const published = await inCompany(companyId, () =>
          trackWork(services.pool, { companyId, work: 'witnesses', subject: name }, () =>
            publishCheckpoint(services, due, witness, () => sign(companyId), signal),
          ),
        )
        if (published === 'unanswered') unanswered += 1
        else if (published !== 'left') unanswered = 0
      } catch (error) {
        services.log.warn({ err: error, companyId, witness: witness.key.name }, 'could not publish a checkpoint')
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

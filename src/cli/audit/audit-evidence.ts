import { createEvidenceServices } from '#bootstrap/evidence'
import { ErasedMeanwhileError, planEvidence, writeEvidence } from '#evidence/evidence-file'
import { NoEvidenceError, type EvidenceSubject } from '#ledger/evidence/evidence-subject'
import { explainRefusal } from '#ledger/audit/sign-checkpoint'
import { StartupError } from '#postgres/startup-error'
import { showProgress } from '../terminal/progress.ts'
import { requireHead, withStore } from '../terminal/with-store.ts'
import { assertNotThere, writeFile } from '../terminal/write-file.ts'

interface EvidenceOptions {
  company: string
  employee?: string
  call?: string
  from?: string
  to?: string
  out: string
}

/** `audit evidence`: writes an evidence file, in constant memory. Without a subject, it is about the whole ledger. */
export async function writeEvidenceFile(options: EvidenceOptions) {
  const { company, out } = options
  assertNotThere(out)
  return withStore(async ({ config, store }) => {
    await requireHead(store.db, company)
    const services = await createEvidenceServices(config, store)
    const progress = showProgress('evidence, events')
    try {
      const plan = await planEvidence(services, company, readSubject(options))
      progress.begin(plan.events)
      let reached = 0
      const onProgress = (read: number) => {
        progress.advance(read - reached)
        reached = read
      }
      await writeFile(out, writeEvidence(services, plan, onProgress))
      return { file: out, events: plan.events, ledger_size: plan.checkpoint.size }
    } catch (error) {
      throw explain(error)
    } finally {
      progress.finish()
    }
  })
}

function readSubject({ employee, call, from, to }: EvidenceOptions): EvidenceSubject {
  if (employee !== undefined) return { kind: 'employee', id: employee }
  if (call !== undefined) return { kind: 'call', id: call }
  return { kind: 'period', from: from ?? null, to: to ?? null }
}

function explain(error: unknown): unknown {
  const isExplained = error instanceof NoEvidenceError || error instanceof ErasedMeanwhileError
  const reason = isExplained ? error.message : explainRefusal(error)
  return reason === null ? error : new StartupError(reason, { cause: error })
}

import type { Config } from '../config.ts'
import type { EvidenceServices } from '#evidence/evidence-file'
import { readMe } from '#pages/evidence/read-me'
import { createSigner } from './keys.ts'
import type { OpenedPool } from './store.ts'

/** What evidence files are made with. */
export async function createEvidenceServices(config: Config, { db, pool }: OpenedPool): Promise<EvidenceServices> {
  return { db, pool, signer: await createSigner(config), storyteller: readMe }
}

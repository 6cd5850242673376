import type { Kysely, Transaction } from 'kysely'
import type { RecordedEvent } from '../src/domain/events.ts'

/**
 * A pure fold of each company's ledger into tables of its own. A changed fold or table is a new version, which fills
 * tables of its own beside those of the version before.
 */
export interface Projection {
  name: string
  version: number
  /**
   * Creates its tables in this schema, which exists and is empty, with the keys and indexes by which the fold finds its
   * rows. Run by the owner of the database.
   */
  createTables(db: Kysely<unknown>, schema: string): Promise<void>
  /** Creates the indexes by which others read; nothing, where they are there. Full tables get them in a fraction of the time. */
  createIndexes(db: Kysely<unknown>, schema: string): Promise<void>
  /**
   * Folds events of some companies, each of them once, into its tables, in the transaction that moves their checkpoints.
   * The events of each follow on those folded before without a gap, and the last one of them closes its call, unless they
   * are a part of a call. Copes with data that are erased. Takes the events as they are, and changes nothing of them.
   */
  fold(transaction: Transaction<unknown>, schema: string, batches: readonly CompanyEvents[]): Promise<void>
}

/** Events of a company. */
export interface CompanyEvents {
  companyId: string
  events: RecordedEvent[]
  /** Present when they are a part of one call that is too large to be folded at once. Its parts come in order. */
  call?: CallPart | undefined
}

/** What a part of a call has to know of the whole. */
export interface CallPart {
  /** The position of the call's first event. */
  first: number
  closing: RecordedEvent
}

/** The schema that holds the live tables of a version of a projection. */
export function schemaOf({ name, version }: Pick<Projection, 'name' | 'version'>): string {
  return `${name.replaceAll('-', '_')}_v${version}`
}

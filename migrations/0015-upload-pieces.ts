import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [
    // Files as they were sent, encrypted. The row of "upload_originals" has the key, once it is clear that a file is kept.
    // Before, whatever becomes of the process that receives it, nobody can read what is stored of it.
    `create table upload_pieces (
      company_id uuid not null,
      upload_id uuid not null,
      piece integer not null,
      content bytea not null,
      expires_at timestamptz(3) not null,
      primary key (company_id, upload_id, piece)
    )`,
    // What is encrypted cannot be compressed.
    'alter table upload_pieces alter column content set storage external',
    'create index upload_pieces_by_end on upload_pieces (expires_at)',
    // "content" stays for the files, and the processes, of the previous version.
    'alter table upload_originals add column key bytea',
  ])
}

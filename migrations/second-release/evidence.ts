/** Evidence files that a job makes, and how far witnesses have cosigned each ledger. */
export const EVIDENCE = [
  // The last file that someone had made on the page, one per company. "request_id" names it; "file_id" names the attempt
  // that makes it, so that an attempt that was given up stores nothing more. "sealed_key" encrypts its chunks and is itself
  // encrypted under a key outside the database: without the row, the chunks cannot be read. "size" is that of its
  // checkpoint. "problem" says why it could not be made. The process that makes the file renews its lease. When the lease
  // ends, another one begins again, up to some attempts.
  `create table evidence_files (
    company_id uuid primary key,
    request_id uuid not null,
    file_id uuid not null,
    subject text not null,
    requested_by text not null,
    requested_at timestamptz(3) not null,
    seen_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    state text not null check (state in ('waiting', 'making', 'done', 'failed')),
    problem text,
    size bigint not null default 0,
    events bigint not null default 0,
    events_read bigint not null default 0,
    chunks integer not null default 0,
    bytes bigint not null default 0,
    sealed_key bytea,
    leased_until timestamptz(3),
    attempts integer not null default 0
  ) with (fillfactor = 50)`,
  `create index evidence_files_by_end on evidence_files (expires_at)`,
  `create table evidence_chunks (
    company_id uuid not null,
    file_id uuid not null,
    number integer not null check (number >= 0),
    content bytea not null,
    primary key (company_id, file_id, number)
  )`,

  // "witness" is the name and the id of its key. "size" is that of the last checkpoint that it has cosigned.
  `create table witness_progress (
    company_id uuid not null,
    witness text collate "C" not null,
    size bigint not null default 0,
    due_at timestamptz(3) not null,
    attempts integer not null default 0,
    failing_since timestamptz(3),
    fault text check (fault in ('unavailable', 'conflict', 'forged')),
    error text,
    primary key (company_id, witness),
    constraint witness_progress_failing check ((failing_since is null) = (fault is null))
  )`,
  // "note" has the signature of the service and the cosignatures, a line each.
  `create table cosigned_checkpoints (
    company_id uuid not null,
    size bigint not null,
    note text not null,
    primary key (company_id, size)
  )`,
]

import type { FindingKind } from '../oracle/finding.ts'
import type { Death } from '../program.ts'

/*
 * What tests plant into the program: its death at a stage, or a bug that the oracle has to find. A process started
 * with `--import ./test/faults/bugs/plant.ts` subscribes to the stage's diagnostics channel, or replaces the bug's
 * text in its own sources; it fails at once unless the text is there exactly once.
 */

/** One replacement in a source file. */
export interface Replacement {
  file: string
  find: string
  put: string
}

/** Stages at which an API process may be killed, each with a diagnostics channel. */
export const API_STAGES = [
  'employee-ledger.append.decided',
  'employee-ledger.append.sent',
  'employee-ledger.append.committed',
  'employee-ledger.call.ran',
]

/** Stages at which a worker process may be killed. */
export const WORKER_STAGES = [
  'employee-ledger.fold.moved',
  'employee-ledger.fold.folded',
  'employee-ledger.fold.committed',
]

/** Stages at which a migrating process may be killed. */
export const MIGRATION_STAGES = ['employee-ledger.migrate.statement', 'employee-ledger.migrate.step']

/** A bug, and the kind of process that has it. */
export interface Bug extends Replacement {
  process: 'api' | 'worker' | 'start'
  /** The death of its process, if only that shows the bug. */
  killAt?: Death
  /** The fault that shows the bug, unless the load alone does. */
  shownBy?: string
  /** The oracle has to find one of these. */
  found: FindingKind[]
}

/** Bugs that each break one promise. The oracle has to find every one of them. */
export const BUGS: Record<string, Bug> = {
  'answers before the commit': {
    process: 'api',
    file: 'src/ledger/append/write-added.ts',
    find: '  const outcomes = await Promise.allSettled([...written, commit])\n',
    put: '  const outcomes: PromiseSettledResult<unknown>[] = []\n  commit.catch(() => undefined)\n  for (const write of written) write.catch(() => undefined)\n  if (written.length > 0) return stored\n',
    shownBy: 'COMMIT swallowed',
    found: ['lost call', 'refusal without entry'],
  },
  'takes no lock on the head': {
    process: 'api',
    file: 'src/ledger/append/statements.ts',
    find: "for update of h ${whenLocked === 'wait' ? '' : 'skip locked'}`",
    put: '${whenLocked === "wait" ? "" : ""}`',
    found: ['internal error', 'lost call'],
  },
  'moves the checkpoint in a transaction of its own': {
    process: 'worker',
    file: 'src/workers/project.ts',
    find: '    const moved = await moveAll(transaction, projection, batches)\n',
    put: '    const moved = await moveAll(db, projection, batches)\n',
    killAt: { stage: 'employee-ledger.fold.moved', passes: 4 },
    found: ['missing entry', 'read model'],
  },
  'loses an event of a larger call': {
    process: 'api',
    file: 'src/ledger/append/statements.ts',
    find: 'events: SealedEvent[]): Promise<unknown> {\n',
    put: 'events: SealedEvent[]): Promise<unknown> {\n  if (events.length > 3) events = events.filter((_, at) => at !== 1)\n',
    found: ['ledger', 'wrong content'],
  },
  'forgets whom it has told of a problem': {
    process: 'worker',
    file: 'src/accounts/attention/check-attention.ts',
    find: "'update users set told_position = $3, told_at",
    put: "'update users set told_position = least(told_position, $3), told_at",
    shownBy: 'alerts while killed',
    found: ['doubled alert'],
  },
  // Selected by id, so that no other job and no earlier test makes up for it.
  'forgets most companies of its jobs': {
    process: 'worker',
    file: 'src/workers/worker.ts',
    find: 'new Set(jobs.flatMap(({ data }) => data.companies))',
    put: 'new Set(jobs.flatMap(({ data }) => data.companies.filter((id) => id.charCodeAt(id.length - 1) % 3 === 0)))',
    found: ['never caught up'],
  },
  'appends leaves in the wrong order': {
    process: 'api',
    file: 'src/ledger/integrity/merkle.ts',
    find: 'node = nodeHash(hashes.pop()!, node)',
    put: 'node = nodeHash(node, hashes.pop()!)',
    found: ['ledger'],
  },
  'does not update the directory': {
    process: 'api',
    file: 'src/ledger/append/write-added.ts',
    find: '...sendAny(pipe, moved, statements.updateDirectory),',
    put: '',
    found: ['directory'],
  },
  'does not bind idempotency keys': {
    process: 'api',
    file: 'src/ledger/append/write-added.ts',
    find: '...sendAny(pipe, bound, insertBoundKeys),',
    put: '',
    found: ['repeated call', 'doubled call', 'refusal with several entries'],
  },
  'charges nothing for a refused call': {
    process: 'api',
    file: 'src/domain/calls/decide-call.ts',
    find: 'refusal && isFree(refusal) ? 0 : 1',
    put: 'refusal ? 0 : 1',
    found: ['wrong quota'],
  },
  'takes an unknown outcome for a success': {
    process: 'api',
    file: 'src/ledger/append/settle-outcome.ts',
    find: '    if (committed === true) return result\n',
    put: '    if (committed !== undefined) return result\n',
    shownBy: 'COMMIT swallowed',
    found: ['lost call'],
  },
  'takes a rolled back transaction for a committed one': {
    process: 'api',
    file: 'src/ledger/append/write-added.ts',
    find: "  const refusal = outcomes.find((outcome) => outcome.status === 'rejected')?.reason\n",
    put: '  const refusal = undefined as unknown\n  if (written.length > 0) return stored\n',
    shownBy: 'COMMIT swallowed',
    found: ['lost call'],
  },
  'applies the good part of what it refuses': {
    process: 'api',
    file: 'src/domain/calls/decide-records.ts',
    find: '  const decision = yield* failCall(whole, { ...NO_COUNTS, total, failed }, context)\n',
    put: `  const withheld = yield* failCall(whole, { ...NO_COUNTS, total, failed }, context)
  const decision = { ...withheld, events: [...withheld.withheld, ...withheld.events] }\n`,
    found: ['failed and applied'],
  },
  'stores another salt than it hashed': {
    process: 'api',
    file: 'src/ledger/integrity/codec.ts',
    find: '  return { companyId, event, data, salt, leaf,',
    put: '  return { companyId, event, data, salt: drawSalt(), leaf,',
    found: ['ledger'],
  },
  'leaves failed calls out of the log': {
    process: 'worker',
    file: 'projections/bulk-user-logs/fold.ts',
    find: "if (closing.type === 'ApiCallCompleted' || closing.type === 'ApiCallFailed')\n",
    put: "if (closing.type === 'ApiCallCompleted')\n",
    found: ['missing entry'],
  },
  'ignores deactivations in the read model': {
    process: 'worker',
    file: 'src/domain/employees/employee.ts',
    find: "return EVENT_TYPES[event.type].stream === 'emp'",
    put: "return event.type !== 'EmployeeDeactivated' && EVENT_TYPES[event.type].stream === 'emp'",
    found: ['read model'],
  },
  'counts what did not change as updated': {
    process: 'api',
    file: 'src/domain/calls/close-call.ts',
    find: "if (result === 'deactivated' || result === 'no_updates') return result",
    put: "if (result === 'deactivated') return result",
    found: ['wrong counts'],
  },
  'leaves one of those active who have left': {
    process: 'api',
    file: 'src/uploads/missing-people.ts',
    find: "record: { id, status: 'inactive' } }",
    put: "record: { id, status: at === 0 ? 'active' : 'inactive' } }",
    found: ['lost row'],
  },
  'loses the last row of a file': {
    process: 'api',
    file: 'src/uploads/part-records.ts',
    find: 'for (const row of all) {\n    if (isTurnOver())',
    put: 'for (const row of all.slice(0, -1)) {\n    if (isTurnOver())',
    found: ['lost row', 'administrator'],
  },
  'proves other events than those in the file': {
    process: 'api',
    file: 'src/ledger/evidence/shared-proof.ts',
    find: "leaf: leaf?.toString('base64') ?? null,",
    put: "leaf: leaf?.subarray(1).toString('base64') ?? null,",
    found: ['evidence'],
  },
  'goes past a message that failed': {
    process: 'worker',
    file: 'src/delivery/webhooks/deliver-round.ts',
    find: '  const missing = events.find((event) => !delivered.has(event.position))\n',
    put: '  const missing = events.find(() => delivered.has(-1))\n',
    found: ['lost message'],
  },
  'sends several messages of an employee at once': {
    process: 'worker',
    file: 'src/delivery/webhooks/deliver-round.ts',
    find: '      if (busy.has(event.stream)) continue\n',
    put: '',
    found: ['message out of order'],
  },
  'loses an event that it folds from memory': {
    process: 'start',
    file: 'src/ledger/append/recent-events.ts',
    find: 'events: others.length === 0 ? first.events : calls.flatMap(({ events }) => events),',
    put: 'events: calls.flatMap(({ events }) => events).filter((_, at) => at !== 1),',
    found: ['missing entry', 'read model'],
  },
}

/** What raises the version of each projection. */
const RAISED_VERSIONS: Replacement[] = [
  {
    file: 'projections/employees/fold.ts',
    find: "name: 'employees',\n  version: ",
    put: "name: 'employees',\n  version: 1 + ",
  },
  {
    file: 'projections/bulk-user-logs/fold.ts',
    find: "name: 'bulk-user-logs',\n  version: ",
    put: "name: 'bulk-user-logs',\n  version: 1 + ",
  },
]

/** The next version of the program, which adds a column and changes a projection. */
const NEXT_VERSION: Replacement[] = [
  RAISED_VERSIONS[0]!,
  {
    file: 'src/migration/migrate.ts',
    find: "new URL('../../migrations', import.meta.url)",
    put: "new URL('../../test/faults/next-version', import.meta.url)",
  },
]

/** What adds an index to a projection. */
const ADDED_INDEX: Replacement = {
  file: 'projections/bulk-user-logs/tables.ts',
  find: "BULK_USER_LOG_INDEXES: Projection['indexes'] = {",
  put: "BULK_USER_LOG_INDEXES: Projection['indexes'] = { entries_by_duration: { table: 'entries', on: '(company_id, duration_ms)' },",
}

/** The replacements of every plant, by its name. */
export const PLANTS: Record<string, Replacement[]> = {
  'the next version': NEXT_VERSION,
  'an added index': [ADDED_INDEX],
  'raised versions': RAISED_VERSIONS,
  ...Object.fromEntries(Object.entries(BUGS).map(([name, bug]) => [name, [bug]])),
}

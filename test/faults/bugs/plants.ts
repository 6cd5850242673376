import { readdirSync } from 'node:fs'
import type { FindingKind } from '../oracle/finding.ts'

/*
 * What is planted into the program for a test: places at which a process ends itself, and bugs that the oracle has to
 * find. Nothing of it is in the program. A process that is started with `--import ./test/faults/plant.ts` reads its own
 * sources with these texts replaced; a text that is not there, or stands there twice, ends it at once.
 */

/** One replacement in a source file. */
export interface Replacement {
  file: string
  find: string
  put: string
}

/** Places of an API process at which it may be killed, by name. */
export const API_POINTS: Record<string, Replacement> = {
  'before the insert': {
    file: 'src/ledger/append/commit.ts',
    find: '    await write(client, companies, writes, results)\n',
    put: "    globalThis.faultPoint('before the insert')\n    await write(client, companies, writes, results)\n",
  },
  'after the insert': {
    file: 'src/ledger/append/commit.ts',
    find: '  const { writes, commit } = pipeline(client, (pipe) => ({\n    writes: sendWrites(pipe),\n    commit: pipe.query(COMMIT),\n  }))\n',
    put: "  const writes = pipeline(client, sendWrites)\n  await Promise.allSettled(writes)\n  globalThis.faultPoint('after the insert')\n  const commit = pipeline(client, (pipe) => pipe.query(COMMIT))\n",
  },
  'while COMMIT is under way': {
    file: 'src/ledger/append/commit.ts',
    find: '    commit: pipe.query(COMMIT),\n  }))\n',
    put: "    commit: pipe.query(COMMIT),\n  }))\n  setImmediate(() => globalThis.faultPoint('while COMMIT is under way'))\n",
  },
  'after COMMIT': {
    file: 'src/ledger/append/commit.ts',
    find: '  const refusal = outcomes.find(',
    put: "  globalThis.faultPoint('after COMMIT')\n  const refusal = outcomes.find(",
  },
  'before the answer': {
    file: 'src/http/v1/write-employees.ts',
    find: '  request.callId = callId\n',
    put: "  globalThis.faultPoint('before the answer')\n  request.callId = callId\n",
  },
}

/** Places of a worker process at which it may be killed. */
export const WORKER_POINTS: Record<string, Replacement> = {
  'after the checkpoint has moved': {
    file: 'src/workers/project.ts',
    find: '    await foldEvents(transaction, projection, schemaOf(projection), moved)\n',
    put: '    globalThis.faultPoint()\n    await foldEvents(transaction, projection, schemaOf(projection), moved)\n',
  },
  'before the fold commits': {
    file: 'src/workers/project.ts',
    find: '    }\n    return moved\n  })\n}\n',
    put: '    }\n    globalThis.faultPoint()\n    return moved\n  })\n}\n',
  },
  'after the fold': {
    file: 'src/workers/project.ts',
    find: '    return moved\n  })\n}\n',
    put: '    return moved\n  }).finally(() => globalThis.faultPoint())\n}\n',
  },
}

/** Counts the batches that are folded from memory: a fold that commits has moved its checkpoint here. */
export const COUNTS_FOLDS: Replacement = {
  file: 'src/workers/project.ts',
  find: '    if (moved.length === 0) return moved\n',
  put: '    if (moved.length === 0) return moved\n    globalThis.countFoldsFromMemory(moved.filter(({ leaf }) => leaf !== null).length)\n',
}

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)

/** Places of a migrating process at which it may be killed: after a statement of each migration, and behind all of them. */
export const MIGRATION_POINTS: Record<string, Replacement> = Object.fromEntries([
  ...readdirSync(MIGRATIONS).map((name) => [
    `in the middle of ${name}`,
    {
      file: `migrations/${name}`,
      find: 'for (const statement of STATEMENTS) await sql.raw(statement).execute(db)',
      put: 'for (const statement of STATEMENTS) { await sql.raw(statement).execute(db); globalThis.faultPoint() }',
    },
  ]),
  ...[
    'createProjectionTables(db, hooks, projections)',
    'hooks.createQueues(urls.ownerUrl)',
    'grantToService(db, urls, projections)',
  ].map((step) => [
    `behind ${step}`,
    {
      file: 'src/postgres/migration/migrate.ts',
      find: `() => ${step})\n`,
      put: `() => ${step})\n      globalThis.faultPoint()\n`,
    },
  ]),
])

/** A bug, and which process has it. */
export interface Bug extends Replacement {
  process: 'api' | 'worker' | 'start'
  /** How often its place is passed before the process ends itself there, where only such an end brings it out. */
  killAt?: number
  /** The fault that brings it out; without one, the load alone does. */
  shownBy?: string
  /** What the oracle has to find: one of these. */
  found: FindingKind[]
}

/** Bugs that each break one promise. The oracle has to find every one of them. */
export const BUGS: Record<string, Bug> = {
  'answers before the commit': {
    process: 'api',
    file: 'src/ledger/append/commit.ts',
    find: '  const outcomes = await Promise.allSettled([...writes, commit])\n',
    put: '  const outcomes: PromiseSettledResult<unknown>[] = []\n  commit.catch(() => undefined)\n  for (const write of writes) write.catch(() => undefined)\n  if (writes.length > 0) return\n',
    shownBy: 'COMMIT swallowed',
    found: ['lost call'],
  },
  'takes no lock on the head': {
    process: 'api',
    file: 'src/ledger/append/statements.ts',
    find: "order by company_id for update ${wait ? '' : 'skip locked'}`",
    put: 'order by company_id ${wait ? "" : ""}`',
    found: ['internal error', 'lost call'],
  },
  'moves the checkpoint in a transaction of its own': {
    process: 'worker',
    file: 'src/workers/project.ts',
    find: '    const moved = await moveAll(transaction, projection, batches)\n',
    put: '    const moved = await moveAll(db, projection, batches)\n    globalThis.faultPoint()\n',
    killAt: 4,
    found: ['missing entry', 'read model'],
  },
  'loses an event of a larger call': {
    process: 'api',
    file: 'src/ledger/append/statements.ts',
    find: "  return client.query({\n    name: 'insert-events',",
    put: "  if (events.length > 3) events = events.filter((_, at) => at !== 1)\n  return client.query({\n    name: 'insert-events',",
    found: ['ledger', 'wrong content'],
  },
  // By their ids, so that neither another job nor what earlier tests have left makes up for it.
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
  'does not update snapshots': {
    process: 'api',
    file: 'src/ledger/append/commit.ts',
    find: '...(updated.length > 0 ? [statements.updateSnapshots(client, updated)] : []),',
    put: '',
    found: ['snapshot'],
  },
  'does not bind idempotency keys': {
    process: 'api',
    file: 'src/ledger/append/commit.ts',
    find: '...(bound.length > 0 ? [insertBoundKeys(client, bound)] : []),',
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
    file: 'src/ledger/append/commit.ts',
    find: "  const refusal = outcomes.find((outcome) => outcome.status === 'rejected')?.reason\n",
    put: '  const refusal = undefined as unknown\n  if (writes.length > 0) return\n',
    shownBy: 'COMMIT swallowed',
    found: ['lost call'],
  },
  'applies the good part of what it refuses': {
    process: 'api',
    file: 'src/domain/calls/decide-records.ts',
    find: '    return failedOn(drafts, { ...counts, failed: drafts.length }, context)\n',
    put: `    const refused = failedOn(drafts, { ...counts, failed: drafts.length }, context)
    const good = drafts.filter((draft) => draft.faults.count === 0)
    return { ...refused, events: [...good.flatMap((draft) => draft.events), ...refused.events] }\n`,
    found: ['failed and applied'],
  },
  'stores another salt than it hashed': {
    process: 'api',
    file: 'src/ledger/integrity/codec.ts',
    find: 'salt: salted.subarray(0, SALT_BYTES)',
    put: 'salt: salted.subarray(1, SALT_BYTES + 1)',
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
    file: 'projections/employees/fold.ts',
    find: "  'EmployeeDeactivated',\n  'EmployeeReactivated',\n  'EmployeeErased',\n])",
    put: "  'EmployeeReactivated',\n  'EmployeeErased',\n])",
    found: ['read model'],
  },
  'counts what did not change as updated': {
    process: 'api',
    file: 'src/domain/calls/decide-records.ts',
    find: "if (result === 'deactivated' || result === 'no_updates') return result",
    put: "if (result === 'deactivated') return result",
    found: ['wrong counts'],
  },
  'loses an event that it folds from memory': {
    process: 'start',
    file: 'src/ledger/append/recent-events.ts',
    find: 'return { events: events.slice(0, end),',
    put: 'return { events: events.slice(0, end).filter((_, at) => at !== 1),',
    found: ['missing entry', 'read model'],
  },
}

/** What a later version of the program has changed, as far as a deploy is concerned. */
const LATER_VERSION: Record<string, Replacement> = {
  'the next version of employees': {
    file: 'projections/employees/fold.ts',
    find: "{ name: 'employees', version: 1,",
    put: "{ name: 'employees', version: 2,",
  },
}

/** Every replacement, by name. */
export const PLANTS: Record<string, Replacement> = {
  'counts folds from memory': COUNTS_FOLDS,
  ...LATER_VERSION,
  ...API_POINTS,
  ...WORKER_POINTS,
  ...MIGRATION_POINTS,
  ...BUGS,
}

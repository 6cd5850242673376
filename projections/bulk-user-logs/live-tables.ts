import { sql } from 'kysely'
import { schemaOf } from '../projection.ts'
import { bulkUserLogs } from './fold.ts'

/* The tables that queries read. */

const SCHEMA = schemaOf(bulkUserLogs)

export const ENTRIES = sql.id(SCHEMA, 'entries')
export const HOURS = sql.id(SCHEMA, 'hours')
export const CALLS_BY_HOUR = sql.id(SCHEMA, 'calls_by_hour')
export const REJECTED_NAMES = sql.id(SCHEMA, 'rejected_names')
export const FORMER_NAMES = sql.id(SCHEMA, 'former_names')
export const FAILURES_BY_HOUR = sql.id(SCHEMA, 'failures_by_hour')
export const REFUSED_ERRORS = sql.id(SCHEMA, 'refused_errors')
export const REFUSALS_BY_HOUR = sql.id(SCHEMA, 'refusals_by_hour')

import type { LogEntry } from '#projections/bulk-user-logs/queries'
import type { CallCounts } from '#domain/events'
import { rulesOf } from '#domain/operations'
import { isCorrected, type Correction } from '#ledger/corrections/corrections'
import { formatCount, formatNumber, isOrAre, wasOrWere } from '#wording/numbers'
import { formatField } from '#domain/errors'
import { html, isolate } from './elements.ts'

/** Renders the message of an error that records have in common, and its field unless the message names it. */
export function describeCause({ message, pointer }: { message: string; pointer: string }) {
  const field = formatField(pointer)
  return message.startsWith(`${field} `)
    ? html`${message}`
    : html`${message}${field !== '' && html`: ${isolate(field)}`}`
}

/** What a completed call did: `created 2 and updated 1 of 5 employees`; null if it changed nothing. */
export function describeDone(counts: CallCounts) {
  const done = listDone(counts)
  if (done.length === 0) return null
  const { total, failed, no_updates: unchanged } = counts
  const isAll = done.length === 1 && unchanged === 0 && failed === 0
  if (!isAll) return `${AND.format(done)} of ${formatCount(total, 'employee')}`
  return `${AND.format(done)} ${total === 1 ? 'employee' : 'employees'}`
}

const AND = new Intl.ListFormat('en-GB')

/** What a completed call did, in order: `created 2`, `updated 1,000`. Empty if it changed nothing. */
export function listDone({ total, updated, deactivated, failed, no_updates: unchanged }: CallCounts) {
  const done = { created: total - updated - deactivated - failed - unchanged, updated, deactivated }
  return Object.entries(done).flatMap(([verb, count]) => (count > 0 ? [`${verb} ${formatNumber(count)}`] : []))
}

/** Says in a few words what a call did or, if it failed, what it asked for. */
export function describeResult({ status, operation, counts }: LogEntry['entry']) {
  const { total, failed } = counts
  const { verb } = rulesOf(operation)
  if (status === 'Failed') return capitalise(total === 0 ? verb : `${verb} ${formatNumber(total)}`)
  const done = [...listDone(counts), ...(failed > 0 ? [`refused ${formatNumber(failed)}`] : [])]
  return capitalise(done.join(', ') || 'no changes')
}

/** Says how many records of a failed call were applied since: `1 of 3 records was applied; 2 are still open.` */
export function formatCorrection(correction: Pick<Correction, 'applied' | 'total'>) {
  const { applied, total } = correction
  if (isCorrected(correction))
    return total === 1 ? 'Its record was applied.' : `All ${formatNumber(total)} records were applied.`
  if (applied === 0) return 'The files do not say which of its records they contain.'
  const open = `${formatNumber(total - applied)} ${isOrAre(total - applied)} still open`
  return `${formatNumber(applied)} of ${formatNumber(total)} records ${wasOrWere(applied)} applied; ${open}.`
}

export function capitalise(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The counts of a call with their labels, in display order. */
export const COUNTS = [
  ['total', 'Total'],
  ['updated', 'Updated'],
  ['deactivated', 'Deactivated'],
  ['failed', 'Failed'],
  ['no_updates', 'No Updates'],
] as const

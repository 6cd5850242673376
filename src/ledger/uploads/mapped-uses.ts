import { USUAL_CHOICES, type ColumnMapping, type Mapping } from '../../../clients/typescript/spreadsheets/mapping.ts'
import { identifyColumn, memberOf } from '../../../clients/typescript/spreadsheets/record-columns.ts'
import type { LedgerTables } from '../tables.ts'

/**
 * What the columns mean of a file that was stored before there were mappings: they are named as the API names attributes,
 * or as `uses` says.
 */
export function mapUses(header: readonly string[], uses: LedgerTables['uploads']['uses']): Mapping {
  const useOf = new Map(uses)
  const columns = header.flatMap((cell) => (cell === '' ? [] : [{ header: cell, ...mapColumn(cell, useOf) }]))
  return { ...USUAL_CHOICES, columns }
}

function mapColumn(cell: string, useOf: ReadonlyMap<string, string>): Omit<ColumnMapping, 'header'> {
  const { kind, name } = identifyColumn(cell)
  if (kind === 'origin' || kind === 'record') return { to: 'nothing' }
  const use = memberOf(cell) === name && kind === 'unknown' ? useOf.get(name) : undefined
  if (kind === 'custom' || use === 'custom') return { to: 'custom', name, type: 'as_written' }
  return { to: use === 'ignore' ? 'nothing' : 'as_named' }
}

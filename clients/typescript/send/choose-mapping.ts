import { readFileSync } from 'node:fs'
import { readName } from '../../../src/spreadsheets/cells.ts'
import type { ColumnMapping, Mapping } from '../../../src/spreadsheets/mapping.ts'
import { USUAL_CHOICES } from '../../../src/spreadsheets/mapping.ts'
import { usageError } from './exit-codes.ts'

/** What to do with a column whatever it is: it becomes a custom attribute, or it is ignored. */
export type ColumnUse = 'custom' | 'ignore'

/** Reads a mapping from a file, as the page of an upload offers it. Throws CommandError. */
export function readMappingFile(path: string): Mapping {
  let mapping: unknown
  try {
    mapping = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usageError(code === undefined ? `${path} is not JSON` : `cannot read the mapping ${path}: ${code}`)
  }
  if (!isMapping(mapping)) throw usageError(`${path} is not a mapping: download one from the page of an uploaded file`)
  return { ...USUAL_CHOICES, ...mapping }
}

function isMapping(value: unknown): value is Mapping {
  const { columns } = (value ?? {}) as { columns?: unknown }
  return Array.isArray(columns) && columns.every((column) => typeof column?.header === 'string' && 'to' in column)
}

/** Uses columns as the command line says. */
export function useColumns(mapping: Mapping, uses: ReadonlyMap<string, ColumnUse>): Mapping {
  const columns = mapping.columns.map((column): ColumnMapping => {
    const name = readName(column.header)
    const use = uses.get(name)
    if (use === 'custom') return { header: column.header, to: 'custom', name, type: 'as_written' }
    return use === 'ignore' ? { header: column.header, to: 'nothing' } : column
  })
  return { ...mapping, columns }
}

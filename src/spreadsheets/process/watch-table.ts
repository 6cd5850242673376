import { collectSamples, type FileSample } from '../proposals/column-samples.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { proposeMapping } from '../proposals/propose-mapping.ts'
import type { FileRow } from '../tables/file-row.ts'
import { hideSecrets } from '../words/recognize-header.ts'

/** Looks at the rows of a table that pass by, to propose what its columns mean. */
export class TableWatcher {
  #table: { header: readonly string[]; sample: FileSample; add(cells: readonly string[]): void } | null = null

  /** Hands the rows on, the first of which names the columns. */
  async *watch(batches: AsyncIterable<FileRow[]>): AsyncGenerator<FileRow[], void> {
    for await (const rows of batches) {
      for (const { cells } of rows)
        if (this.#table) this.#table.add(cells)
        else this.#table = openTable(cells)
      yield rows
    }
  }

  /** Proposes what the columns mean; null if there was no row. `country` is where local phone numbers are. */
  propose(country: Mapping['country']): Mapping | null {
    if (!this.#table) return null
    const { header, sample } = this.#table
    const proposing = proposeMapping(header, sample, country)
    for (;;) {
      const { done, value } = proposing.next()
      if (done) return value
    }
  }
}

function openTable(header: readonly string[]) {
  const { sample, add } = collectSamples(header.length)
  const hide = hideSecrets(header)
  return { header, sample, add: (cells: readonly string[]) => add(hide(cells)) }
}

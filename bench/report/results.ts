import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The default folder of results, which git ignores. */
export const RESULTS_DIR = path.resolve(import.meta.dirname, '../results')

interface Results {
  json: unknown
  /** Tables and what they were measured on. */
  markdown: string
  /** A plot. */
  svg?: string
}

/** Writes the results of a run to files and to standard output. */
export async function publishResults(out: string, name: string, results: Results): Promise<void> {
  const files = await writeResults(out, name, results)
  process.stdout.write(`${results.markdown}\n\n${files.join('\n')}\n`)
}

/** Writes the results of a run to files; the tables show the plot. Returns their paths. */
export async function writeResults(dir: string, name: string, results: Results): Promise<string[]> {
  await mkdir(dir, { recursive: true })
  const { json, markdown, svg } = results
  const plot = svg === undefined ? '' : `\n![${name}](${name}.svg)\n`
  const files: [string, string][] = [
    [`${name}.json`, `${JSON.stringify(json, null, 2)}\n`],
    [`${name}.md`, `${markdown}\n${plot}`],
    ...(svg === undefined ? [] : ([[`${name}.svg`, svg]] as [string, string][])),
  ]
  for (const [file, text] of files) await writeFile(path.join(dir, file), text)
  return files.map(([file]) => path.join(dir, file))
}

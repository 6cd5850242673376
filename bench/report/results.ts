import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Where results go unless a run is told otherwise; git leaves them out. */
export const RESULTS_DIR = path.resolve(import.meta.dirname, '../results')

/** Writes the files of a run: everything as JSON, its tables, and its plot if it has one. Returns where they are. */
export async function writeResults(
  dir: string,
  name: string,
  results: { json: unknown; markdown: string; svg?: string },
): Promise<string[]> {
  await mkdir(dir, { recursive: true })
  const files: [string, string][] = [
    [`${name}.json`, `${JSON.stringify(results.json, null, 2)}\n`],
    [`${name}.md`, `${results.markdown}\n`],
    ...(results.svg === undefined ? [] : ([[`${name}.svg`, results.svg]] as [string, string][])),
  ]
  for (const [file, text] of files) await writeFile(path.join(dir, file), text)
  return files.map(([file]) => path.join(dir, file))
}

/** Replaces what stands in a document between the two comments of a part. Throws when they are not there. */
export async function writeIntoReport(file: string, part: string, markdown: string): Promise<void> {
  const [begin, end] = [`<!-- results: ${part} -->`, `<!-- end of results: ${part} -->`]
  const text = await readFile(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no part between ${begin} and ${end}`)
  await writeFile(file, `${text.slice(0, from)}${begin}\n\n${markdown}\n\n${text.slice(to)}`)
}

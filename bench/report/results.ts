import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The default folder of results, which git ignores. */
export const RESULTS_DIR = path.resolve(import.meta.dirname, '../results')

/** Writes the results of a run as JSON, Markdown tables, and an optional plot. Returns the paths. */
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

/** Replaces the text between the two marker comments of a part. Throws when the markers are missing. */
export async function writeIntoReport(file: string, part: string, markdown: string): Promise<void> {
  const [begin, end] = [`<!-- results: ${part} -->`, `<!-- end of results: ${part} -->`]
  const text = await readFile(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} lacks the markers ${begin} and ${end}`)
  await writeFile(file, `${text.slice(0, from)}${begin}\n\n${markdown}\n\n${text.slice(to)}`)
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
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

/** Writes the results of a run to files, to the report if there is one, and to standard output. */
export async function publishResults(
  { out, report }: { out: string; report?: string | undefined },
  name: string,
  results: Results,
): Promise<void> {
  const files = await writeResults(out, name, results)
  if (report !== undefined) await writeIntoReport(report, name, results.markdown)
  process.stdout.write(`${results.markdown}\n\n${files.join('\n')}\n`)
}

/** Writes the results of a run to files. Returns their paths. */
export async function writeResults(dir: string, name: string, results: Results): Promise<string[]> {
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

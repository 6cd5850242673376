import { readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../../', import.meta.url)
const FOLDERS = ['clients/typescript', 'src/spreadsheets', 'src/text']
const PACKED = /\.ts$|^(?:declarations|package)\.json$|^README\.md$|^LICENSE$/

/** The files of which the package of the client is made, by path. */
export type Sources = ReadonlyMap<string, Uint8Array>

export function readSources(): Sources {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { encoding: 'utf8', recursive: true })
      .filter((name) => PACKED.test(name))
      .map((name) => `${folder}/${name}`),
  )
  return new Map(paths.toSorted().map((path) => [path, readFileSync(new URL(path, ROOT))]))
}

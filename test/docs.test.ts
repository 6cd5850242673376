import { existsSync, globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { EnvironmentSchema, LIMITS, readConfig } from '../src/config.ts'
import { ATTENTION_KINDS, rankOf } from '../src/domain/attention-kinds.ts'
import type { EntryFilter } from '../projections/bulk-user-logs/queries.ts'
import { KEY_PROTOCOLS } from '../src/api/api-routes.ts'
import { ErasureBody } from '../src/api/admin/personal-data.ts'
import { limitsOfCall } from '../src/bodies/json-body.ts'
import { connectionsOf } from '../src/postgres/connections.ts'
import { currentDocument } from '../docs/openapi/current-document.ts'
import { operationsOf } from './support/http/api-document.ts'
import { FROZEN } from './support/ledger/frozen-ledger.ts'
import { commandRows, settingsRows } from './support/rules/docs-tables.ts'
import { brokenLinks, headingsOf, readPages, tableKeys } from './support/rules/markdown.ts'
import { readSources } from './support/rules/source-files.ts'

/* The documentation's links, paths, commands and tables agree with the program. */

const pages = readPages()
const page = (name: string) => pages.get(name) ?? ''
/** Without the changelog and the results of commands, which name files that are gone, and have lines of any width. */
const current = new Map([...pages].filter(([name]) => !/^CHANGELOG|^docs\/(?:performance|reliability)\//.test(name)))

const IN_A_FOLDER = /^(?:src|test|projections|migrations|bench|docs|clients|\.ci)(?:\/|$)/
const AT_THE_TOP = /^(?:[\w-]+\.(?:md|yml|json)|LICENSE|Dockerfile)$/
/** Placeholders for the reader, and files made by a command or in an evidence file. */
const NOT_THERE = /NAME|NNNN|^bench\/results$|^manifest\.json$/
/** A variable of docker-compose.yml, and a constant of the program. */
const NO_SETTINGS = new Set([
  // Of the client's command.
  ...['API_URL', 'API_ID', 'API_KEY'],
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'HTTP_PROXY',
  'CITUS_BIN',
  'PREVIOUS_RELEASE',
  'CITUS_URL',
  'DATABASE_HOST',
  'EVENT_TYPES',
  'KEY_PROTOCOLS',
  'WEBHOOK_TYPES',
  'MESSAGE_TYPES',
])

/** What docs/admin.md calls the filters of the log beside the search. */
const LOG_FILTERS: Record<Exclude<keyof EntryFilter, 'employee' | 'q'>, string> = {
  status: 'status',
  from: 'time',
  to: 'time',
  operation: 'operation',
  source: 'name',
  key: 'key',
  error: 'cause',
  http_status: 'HTTP status',
}

/** The page of each protocol of API keys, by its path. */
const PROTOCOL_PAGES: Readonly<Record<string, string>> = { '/v1': 'docs/api.md', '/scim/v2': 'docs/scim.md' }

/** The sections that somebody follows when something is wrong or to be changed. */
const RUNBOOKS = {
  'docs/operations.md': [
    ...['Restoring', 'Promoting a standby', 'A new operating system', 'After a restore', 'Webhooks after a restore'],
    'Keys',
  ],
  'docs/deployment.md': ['Deploying a new version', 'Replaying the ledger'],
  'docs/citus.md': [
    'Moving a company',
    'Adding a machine',
    'Losing a machine',
    'Prepared transactions left by a crash',
  ],
}

await t.test('the README can be read in ten minutes', async (t) => {
  t.ok(page('README.md').trimEnd().split('\n').length <= 250)
  t.ok(page('README.md').split(/\s+/).length <= 1_700)
})

await t.test('the table of settings matches src/config.ts: names, defaults, meanings', async (t) => {
  t.strictSame(rowsOf('docs/configuration.md'), settingsRows())
})

await t.test('the connections of a process are those that doctor counts', async (t) => {
  const { SMTP_URL: _, WITNESS_URLS: __, ...settings } = readConfig({})
  const mail = connectionsOf({ ...settings, SMTP_URL: 'smtp://mail.example' }).worker - connectionsOf(settings).worker
  const witnesses = connectionsOf({ ...settings, WITNESS_URLS: 'https://w' }).worker - connectionsOf(settings).worker
  const { api, worker } = connectionsOf(settings)
  const [, ofApi, ofWorker] =
    /API process opens at most `POOL_SIZE` \+ (\d+)\. A worker opens at most `POOL_SIZE` \+ (\d+),\s+and two more with `SMTP_URL`,\s+and two\s+more with `WITNESS_URLS`/.exec(
      page('docs/operations.md'),
    ) ?? []
  const counted = [api - settings.POOL_SIZE, worker - settings.POOL_SIZE, mail, witnesses]
  t.strictSame([Number(ofApi), Number(ofWorker), 2, 2], counted)
})

await t.test('every field that names whom to erase is told', async (t) => {
  const { properties } = ErasureBody
  const [, told = ''] = /erase a person, named by\s+([^:]+)\. In one transaction/.exec(page('docs/api.md')) ?? []
  t.strictSame(told.match(/(?<=`)\w+(?=`)/g), Object.keys(properties))
})

await t.test('every limit counted per process says so, and the formula is below the table', (t) => {
  const limits = ['POOL_SIZE', 'EMPLOYEE_CACHE', 'BURST_LIMIT']
  const rows = rowsOf('docs/configuration.md')
  for (const name of limits) {
    t.match(
      rows.find((row) => row.startsWith(`| \`${name}\` |`)),
      /; per process \|$/,
      name,
    )
  }
  const { FAILURE_LIMIT: calls, SIGN_IN_LIMIT: person, SIGN_IN_ADDRESS_LIMIT: address } = LIMITS
  const [, told = ''] =
    /These limits on failed attempts are per process, too:([^]*?)\n\n(?!-)/.exec(page('docs/configuration.md')) ?? []
  t.strictSame(
    [...told.matchAll(/(?<=: |and )\d+\b/g)].map(([limit]) => Number(limit)),
    [calls, person, 10 * person, address, 10 * address],
  )
  t.match(page('docs/configuration.md'), /\*\*N × limit\*\*[^#]+\*\*L \/ N\*\*/)
  t.end()
})

await t.test('every kind of attention is told, in the order of urgency', async (t) => {
  t.strictSame(tableKeys(page('docs/attention.md')), ATTENTION_KINDS, 'the table of docs/attention.md')
  const [, lastOfAll, firstAhead] = /kinds up to `(\w+)`[^]*kinds from `(\w+)` on/.exec(page('docs/attention.md')) ?? []
  t.equal(
    lastOfAll,
    ATTENTION_KINDS.findLast((kind) => rankOf(kind) === 0),
  )
  t.equal(
    firstAhead,
    ATTENTION_KINDS.find((kind) => rankOf(kind) === 2),
  )
})

await t.test('every protocol of API keys has a page', async (t) => {
  t.strictSame(
    Object.keys(PROTOCOL_PAGES),
    KEY_PROTOCOLS.map(({ prefix }) => prefix),
  )
  for (const [prefix, name] of Object.entries(PROTOCOL_PAGES)) t.match(page(name), prefix, name)
})

await t.test('every filter of the log is told', async (t) => {
  const [, told = ''] = /links and lists beside it filter by ([^.]+),\s+and say/.exec(page('docs/admin.md')) ?? []
  t.strictSame(told.split(/,\s+(?:and\s+)?/).toSorted(), [...new Set(Object.values(LOG_FILTERS))].toSorted())
})

await t.test('the table of commands matches the program', async (t) => {
  t.strictSame(rowsOf('docs/cli.md'), commandRows())
})

await t.test(
  'the tables of calls name each call of the public API, and the part to which any other belongs',
  async (t) => {
    const operations = operationsOf(await currentDocument()).map(({ method, path }) => `${method} ${path}`)
    const told = tableKeys(page('docs/api.md')).filter((key) => /^[A-Z]+ \//.test(key))
    t.strictSame(told.toSorted(), operations.filter((operation) => operation.includes(' /v1/')).toSorted())
    const parts = [...page('docs/api.md').matchAll(/^\| (`\/[^|]+)\|/gm)].flatMap(([, cell]) =>
      cell!.match(/(?<=`)\/[^`]+/g),
    )
    t.ok(parts.length > 10)
    t.strictSame(
      operations.filter((operation) => !parts.some((part) => operation.includes(` ${part!}`))),
      [],
    )
  },
)

await t.test('every relative link leads to an existing file and heading', async (t) => {
  for (const [name, text] of pages) t.strictSame(brokenLinks(name, text), [], name)
  t.strictSame(
    brokenLinks('docs/index.md', '[a](nowhere.md) [b](#nothing) [c](index.md#nothing) [d](index.md)').length,
    3,
  )
})

await t.test('every runbook begins with doctor', async (t) => {
  for (const [name, sections] of Object.entries(RUNBOOKS)) {
    for (const section of sections) {
      const text =
        page(name)
          .split(/^#+ /m)
          .find((part) => part.startsWith(`${section}\n`)) ?? ''
      t.equal(/`([^`]+)`/.exec(text)?.[1], 'doctor', `${name}: ${section}`)
    }
  }
})

await t.test('every page can be reached from docs/index.md', async (t) => {
  const linked = (name: string) => [...page(name).matchAll(/\]\(([\w/.-]+)/g)].map(([, link]) => `docs/${link!}`)
  const leading = ['docs/index.md', 'docs/architecture.md', 'docs/performance.md', 'docs/reliability.md']
  const found = new Set(['docs/index.md', ...leading.flatMap(linked)])
  t.strictSame(
    [...pages.keys()].filter((name) => name.startsWith('docs/') && !found.has(name)),
    [],
  )
})

await t.test('every file that a page names exists', async (t) => {
  for (const [name, text] of current) {
    const paths = [...text.matchAll(/`([\w./*-]+)`/g)].map(([, path]) => path!)
    const checked = paths.filter((path) => (IN_A_FOLDER.test(path) || AT_THE_TOP.test(path)) && !NOT_THERE.test(path))
    t.strictSame(
      checked.filter((path) => globSync(path).length === 0),
      [],
      name,
    )
  }
})

await t.test('every npm script that a page names exists', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  for (const [name, text] of current) {
    const uses = text.matchAll(/npm (?:run (?:--silent )?([\w:-]+)|(start|test)\b)/g)
    const named = [...uses].map(([, script, short]) => script ?? short!)
    t.strictSame(
      named.filter((script) => !Object.hasOwn(scripts, script)),
      [],
      name,
    )
  }
})

await t.test('everything that a release publishes has its version', async (t) => {
  const versionOf = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  const version = versionOf('package.json')
  const { info } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { info: { version: string } }
  const [, changed] = /^## \[(\d[^\]]*)\]/m.exec(page('CHANGELOG.md')) ?? []
  const client = versionOf('clients/typescript/package.json')
  const images = readFileSync('docs/kubernetes.yaml', 'utf8').match(/(?<=employee-ledger:)[\d.]+/g) ?? []
  t.ok(images.length > 0)
  const named = [versionOf('package-lock.json'), client, info.version, changed, ...images]
  t.strictSame(
    named,
    named.map(() => version),
  )
  t.ok((FROZEN as readonly string[]).includes(version), 'its ledger is recorded')
})

await t.test('the pages name the limits of a call', async (t) => {
  const { maxRecords, maxValues } = limitsOfCall(readConfig({}).MAX_RECORDS)
  const [records, values] = [maxRecords, maxValues].map((limit) => limit.toLocaleString('en'))
  const told = {
    'docs/api.md': [`A call has 1 to ${records} records`, `more than ${values} JSON`],
    'clients/typescript/README.md': [
      `at most ${records} records`,
      `calls of ${records} records`,
      `${records} by default`,
    ],
  }
  for (const [file, texts] of Object.entries(told))
    for (const text of texts) t.ok(page(file).includes(text), `${file}: ${text}`)
})

await t.test('every setting that a page names exists', async (t) => {
  const settings = new Set(Object.keys(EnvironmentSchema.properties))
  for (const [name, text] of current) {
    const named = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g)].map(([, setting]) => setting!)
    t.strictSame(
      named.filter((setting) => !settings.has(setting) && !NO_SETTINGS.has(setting)),
      [],
      name,
    )
  }
})

await t.test('every page and section that the program refers to exists', async (t) => {
  const messages = readSources('src', 'projections', 'bench')
    .map(({ text }) => text)
    .join('\n')
  const references = [...messages.matchAll(/((?:docs\/)?[\w-]+\.md)(?:, “([^”]+)”)?/g)]
  t.ok(references.length > 5, 'there are references')
  for (const [reference, name, section] of references) {
    const text = pages.get(name!) ?? pages.get(`docs/${name}`)
    t.ok(text !== undefined || existsSync(name!), reference)
    if (section !== undefined) t.ok(headingsOf(text ?? '').includes(section), reference)
  }
})

await t.test('no line is too wide, or left by a merge', async (t) => {
  for (const [name, text] of current) {
    t.notMatch(text, /^(?:<{7}|={7}|>{7})(?: |$)/m, name)
    const prose = text.replaceAll(/^```[^]*?^```$/gm, '').split('\n')
    t.strictSame(
      prose.filter((line) => line.length > 120 && !line.startsWith('|')),
      [],
      name,
    )
  }
})

/** The rows of the only table of a page, without its heading. */
function rowsOf(name: string): string[] {
  return page(name)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
}

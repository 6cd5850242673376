import type { Command } from 'commander'

/** How the commands are run: there is no program of another name. */
export const RUN_AS = 'npm run --silent cli --'

const ID = '01m7wpyc6pe4c84c8xtp0e86m3'
const COMPANY = `--company com_${ID}`
const KEY = `${COMPANY} --key key_${ID}`
const WEBHOOK = `${COMPANY} --webhook whk_${ID}`

/** The arguments of the examples that help shows below the options, by command. */
const EXAMPLES: Record<string, string[]> = {
  start: ['', '--demo'],
  serve: [''],
  work: [''],
  migrate: ['--dry-run', ''],
  distribute: ['--dry-run', '', '--shards 128 --json'],
  doctor: ['', '--json'],
  'company create': ["--name Acme --admin-email ada@acme.example --admin-name 'Ada Admin'"],
  'company rename': [`'Acme Ltd' ${COMPANY}`],
  'company set-time-zone': [`Europe/Berlin ${COMPANY}`],
  'company set-country': [`DE ${COMPANY}`],
  'log list': [`${COMPANY} --status Failed --json`],
  completion: ['bash'],
  'user invite': [`${COMPANY} --email otto@acme.example --name 'Otto' --role auditor`],
  'token issue': [`${COMPANY} --user usr_${ID} --name 'Nightly export' --days 30 --scope audit`],
  'key issue': [
    `${COMPANY} --name 'HR sync' --quota-limit 100000 --refresh-period daily`,
    `${COMPANY} --name Dashboard --scope employees:read --expires-at 2027-01-31T18:00:00Z --network 192.0.2.0/24 ` +
      '2001:db8::/32',
  ],
  'key rotate': [`${KEY} --overlap 86400`],
  'key edit': [`${KEY} --quota-limit 200000`, `${KEY} --expires-at never --network any`],
  'webhook create': [`${COMPANY} --url https://example.com/hooks --types employee.created employee.updated`],
  'webhook resume': [`${WEBHOOK} --since 2026-11-20T15:00:00Z`],
  'webhook rotate': [`${WEBHOOK} --overlap 86400`],
  'provider set': [
    `${COMPANY} --name Okta --issuer https://acme.okta.com --client-id 0oa1b2c3 --secret-file secret.txt`,
    `${COMPANY} --role-claim groups --role ledger-admins=admin ledger-auditors=auditor`,
  ],
  'provider use': [`required ${COMPANY} --break-glass usr_${ID}`, `off ${COMPANY}`],
  'provider replace-secret': [`${COMPANY} --secret-file -`],
  'audit export': [`${COMPANY} --out acme.ndjson.gz`],
  'audit evidence': [`${COMPANY} --employee emp_${ID} --out evidence.zip`],
  'audit verify': ['acme.ndjson.gz --checkpoint acme.ndjson.gz.checkpoint --json'],
  'employee report': [`${COMPANY} --email ana.perez@acme.example --out ana.html`],
  'employee erase': [`${COMPANY} --email ana.perez@acme.example --yes`],
  'projections list': ['--json'],
  'projections resume': [`employees ${COMPANY}`],
  'projections rebuild': ['bulk-user-logs', `employees ${COMPANY}`],
  'projections verify': ['', 'employees --json'],
}

/** Adds the examples to the help of their commands. */
export function addExamples(program: Command, words: string[] = []) {
  for (const command of program.commands) {
    const path = [...words, command.name()]
    const examples = EXAMPLES[path.join(' ')] ?? []
    const title = examples.length === 1 ? 'Example' : 'Examples'
    const lines = examples.map((example) => `  ${[RUN_AS, ...path, example].join(' ').trimEnd()}\n`)
    if (lines.length > 0) command.addHelpText('after', `\n${title}:\n${lines.join('')}`)
    addExamples(command, path)
  }
}

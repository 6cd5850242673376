import type { Command } from 'commander'

/** The arguments of the examples that help shows below the options, by command. */
const EXAMPLES: Record<string, string[]> = {
  start: ['start', 'start --demo'],
  serve: ['serve'],
  work: ['work'],
  migrate: ['migrate --dry-run', 'migrate'],
  distribute: ['distribute --dry-run', 'distribute', 'distribute --shards 128 --json'],
  doctor: ['doctor', 'doctor --json'],
  'company create': ["company create --name Acme --admin-email ada@acme.example --admin-name 'Ada Admin'"],
  'company set-time-zone': ['company set-time-zone Europe/Berlin --company com_01m7wpyc6pe4c84c8xtp0e86m3'],
  'company set-country': ['company set-country DE --company com_01m7wpyc6pe4c84c8xtp0e86m3'],
  'user invite': [
    "user invite --company com_01m7wpyc6pe4c84c8xtp0e86m3 --email otto@acme.example --name 'Otto' --role auditor",
  ],
  'token issue': [
    "token issue --company com_01m7wpyc6pe4c84c8xtp0e86m3 --user usr_01m7wpyc6pe4c84c8xtp0e86m3 --name 'Nightly export' --days 30 --scope audit",
  ],
  'key issue': [
    "key issue --company com_01m7wpyc6pe4c84c8xtp0e86m3 --name 'HR sync' --quota-limit 100000 --refresh-period daily",
    'key issue --company com_01m7wpyc6pe4c84c8xtp0e86m3 --name Dashboard --scope employees:read --expires-at 2027-01-31T18:00:00Z --network 192.0.2.0/24 2001:db8::/32',
  ],
  'key rotate': [
    'key rotate --company com_01m7wpyc6pe4c84c8xtp0e86m3 --key key_01m7wpyc6pe4c84c8xtp0e86m3 --overlap 86400',
  ],
  'key edit': [
    'key edit --company com_01m7wpyc6pe4c84c8xtp0e86m3 --key key_01m7wpyc6pe4c84c8xtp0e86m3 --quota-limit 200000',
    'key edit --company com_01m7wpyc6pe4c84c8xtp0e86m3 --key key_01m7wpyc6pe4c84c8xtp0e86m3 --expires-at never --network any',
  ],
  'webhook create': [
    'webhook create --company com_01m7wpyc6pe4c84c8xtp0e86m3 --url https://example.com/hooks --types employee.created employee.updated',
  ],
  'webhook resume': [
    'webhook resume --company com_01m7wpyc6pe4c84c8xtp0e86m3 --webhook whk_01m7wpyc6pe4c84c8xtp0e86m3 --since 2026-11-20T15:00:00Z',
  ],
  'webhook rotate': [
    'webhook rotate --company com_01m7wpyc6pe4c84c8xtp0e86m3 --webhook whk_01m7wpyc6pe4c84c8xtp0e86m3 --overlap 86400',
  ],
  'provider set': [
    'provider set --company com_01m7wpyc6pe4c84c8xtp0e86m3 --name Okta --issuer https://acme.okta.com --client-id 0oa1b2c3 --secret-file secret.txt',
    'provider set --company com_01m7wpyc6pe4c84c8xtp0e86m3 --role-claim groups --role ledger-admins=admin ledger-auditors=auditor',
  ],
  'provider use': [
    'provider use required --company com_01m7wpyc6pe4c84c8xtp0e86m3 --break-glass usr_01m7wpyc6pe4c84c8xtp0e86m3',
    'provider use off --company com_01m7wpyc6pe4c84c8xtp0e86m3',
  ],
  'provider replace-secret': ['provider replace-secret --company com_01m7wpyc6pe4c84c8xtp0e86m3 --secret-file -'],
  'audit export': ['audit export --company com_01m7wpyc6pe4c84c8xtp0e86m3 --out acme.ndjson.gz'],
  'audit evidence': [
    'audit evidence --company com_01m7wpyc6pe4c84c8xtp0e86m3 --employee emp_01m7wpyc6pe4c84c8xtp0e86m3 --out evidence.zip',
  ],
  'audit verify': ['audit verify acme.ndjson.gz --checkpoint acme.ndjson.gz.checkpoint --json'],
  'employee report': [
    'employee report --company com_01m7wpyc6pe4c84c8xtp0e86m3 --email ana.perez@acme.example --out ana.html',
  ],
  'employee erase': ['employee erase --company com_01m7wpyc6pe4c84c8xtp0e86m3 --email ana.perez@acme.example --yes'],
  'projections list': ['projections list --json'],
  'projections resume': ['projections resume employees --company com_01m7wpyc6pe4c84c8xtp0e86m3'],
  'projections rebuild': [
    'projections rebuild bulk-user-logs',
    'projections rebuild employees --company com_01m7wpyc6pe4c84c8xtp0e86m3',
  ],
  'projections verify': ['projections verify', 'projections verify employees --json'],
}

/** Adds the examples to the help of their commands. */
export function addExamples(program: Command, words: string[] = []): void {
  for (const command of program.commands) {
    const path = [...words, command.name()]
    const lines = EXAMPLES[path.join(' ')] ?? []
    const title = lines.length === 1 ? 'Example' : 'Examples'
    if (lines.length > 0)
      command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  employee-ledger ${line}\n`).join('')}`)
    addExamples(command, path)
  }
}

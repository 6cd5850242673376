import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { signCheckpointNote, formatOrigin, formatVerifierKey } from '../../../src/ledger/audit/signed-note.ts'
import { appendLeaves, EMPTY_FRONTIER, leafHash, rootOf } from '../../../src/ledger/integrity/merkle.ts'
import { openSigningKeys } from '../../../src/ledger/audit/signing-keys.ts'
import { foldLedger, frozenFile } from './frozen-ledger.ts'
import { hashMigrations } from './hash-migrations.ts'
import { tellStory } from './ledger-story.ts'
import { startService } from '../service.ts'
import { exportLines } from './export-lines.ts'
import { stopTestServer } from '../postgres/stop-test-server.ts'

/*
 * Records what later versions have to read: a ledger with every type of event and what it folds to, and the hashes of
 * the migrations. Run `node test/support/ledger/record-release.ts 1.1.0` at a release. Keep the earlier recordings.
 */

const [version] = new Command('node test/support/ledger/record-release.ts')
  .description('Record what later versions have to read.')
  .argument('<version>', 'the version that is released', parseVersion)
  .parse().processedArgs as [string]

execFileSync(process.execPath, ['test/support/postgres/start-postgres.ts'], { stdio: 'inherit' })
const teardowns: (() => unknown)[] = []
try {
  const service = await startService({ teardown: (task: () => unknown) => teardowns.push(task) })
  await tellStory(service)
  const { id } = service.company
  const lines = await exportLines(service.db, id)
  const keys = await openSigningKeys({ pem: service.config.SIGNING_KEY, file: '/nowhere', missing: 'refuse' })
  const leaves = lines.map((line) => leafHash((JSON.parse(line) as { envelope: string }).envelope))
  const sizes = [Math.floor(leaves.length / 3), Math.floor((2 * leaves.length) / 3), leaves.length]
  const notes = sizes.map((size) =>
    signCheckpointNote(id, { size, root: rootOf(appendLeaves(EMPTY_FRONTIER, leaves.slice(0, size))) }, keys.current!),
  )
  const expected = {
    publicKey: formatVerifierKey(formatOrigin(id), keys.current!.publicKey),
    folded: await foldLedger(service.db, id),
  }
  mkdirSync(`test/fixtures/${version}`, { recursive: true })
  writeFileSync(`test/fixtures/${version}/migrations.sha256`, hashMigrations())
  writeFileSync(frozenFile(version, 'ndjson'), lines.join(''))
  writeFileSync(frozenFile(version, 'checkpoints'), notes.join('\n'))
  writeFileSync(frozenFile(version, 'json'), `${JSON.stringify(expected, null, 1)}\n`)
} finally {
  for (const teardown of teardowns.toReversed()) await teardown()
  await stopTestServer()
}

function parseVersion(text: string): string {
  if (/^[0-9]+\.[0-9]+\.[0-9]+$/.test(text)) return text
  throw new InvalidArgumentError('It must be a version such as 1.1.0.')
}

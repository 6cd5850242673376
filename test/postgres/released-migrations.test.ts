import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { hashMigrations } from '../support/ledger/hash-migrations.ts'

const RECORDED = globSync('test/fixtures/*/migrations.sha256')

await t.test('the migrations of a released version never change: a new one follows them', async (t) => {
  t.ok(RECORDED.length > 0)
  const current = hashMigrations()
  for (const file of RECORDED) {
    for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) t.ok(current.includes(`${line}\n`), line)
  }
})

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { parseCheckpoints } from '../../src/ledger/audit/signed-note.ts'
import { eventually } from '../support/eventually.ts'
import { entryOfCall } from '../support/http/entry-of-call.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import type { Server } from '../support/processes/cli.ts'
import { makeDataDir, readDemo, runCommand, startServer } from '../support/processes/cli.ts'
import { freePort } from '../support/processes/free-port.ts'
import { readSamples, valueOf } from '../support/processes/metrics.ts'
import { send } from '../support/service.ts'
import { startWitness } from '../support/witnesses/test-witness.ts'

/** Copies a folder with its owners, as a backup does. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to])

await t.test(
  'after an older data folder was put back and calls were made, everybody is told that nothing is signed, and why',
  async (t) => {
    const DATA_DIR = makeDataDir(t)
    const CHECKPOINT_DIR = path.join(DATA_DIR, '..', 'checkpoints')
    const [olderCopy, newerCopy] = [`${DATA_DIR}-older`, `${DATA_DIR}-newer`]
    mkdirSync(CHECKPOINT_DIR)
    const witness = await startWitness(t, 'w1')
    const environment = {
      DATA_DIR,
      CHECKPOINT_DIR,
      CHECKPOINT_INTERVAL_MS: '100',
      METRICS_PORT: String(await freePort()),
      ...witness.settings,
    }
    const start = () => startServer(t, ['start'], environment)
    const makeCalls = async (server: Server, count: number) => {
      const demo = readDemo(DATA_DIR)
      for (let made = 0; made < count; made += 1) await entryOfCall(server, demo, demo.admin.token)
    }
    const get = (server: Server, at: string) => {
      const { admin } = readDemo(DATA_DIR)
      return send(server.address, 'GET', at, { headers: { authorization: `Bearer ${admin.token}` } })
    }
    const lastSize = (companyId: string) => {
      const file = path.join(CHECKPOINT_DIR, `${companyId}.notes`)
      return existsSync(file) ? parseCheckpoints(readFileSync(file, 'utf8'))!.at(-1)!.size : 0
    }
    const examine = async () => {
      const { stdout, stderr } = await runCommand(t, ['doctor', '--json'], environment)
      if (stderr !== '') throw new Error(stderr)
      return (JSON.parse(stdout) as { findings: Finding[] }).findings
    }
    const failing = (findings: Finding[]) =>
      findings.filter(({ check, level }) => level === 'fail' && /checkpoint|signing/.test(check))
    const failingCompanies = async () => {
      const samples = await readSamples(`http://127.0.0.1:${environment.METRICS_PORT}/metrics`)
      return valueOf(samples, 'employee_ledger_failing_work_companies', { work: 'signing' })
    }
    const hasAttention = async (server: Server) =>
      (await get(server, '/admin/v1/attention')).body.items.find(
        ({ kind }: { kind: string }) => kind === 'ledger_unsigned',
      )

    const first = await start()
    await first.prints(/The credentials are saved in (.+)\n/)
    const { company_id: companyId } = readDemo(DATA_DIR)
    witness.know((await get(first, '/audit/v1/keys')).body.items[0].public_key)
    await makeCalls(first, 1)
    await first.end('SIGTERM')
    copy(DATA_DIR, olderCopy)

    const second = await start()
    await makeCalls(second, 2)
    const { position } = (await get(second, '/audit/v1/checkpoint')).body
    await eventually('the last call is in a checkpoint outside', async () => lastSize(companyId) === position)
    t.strictSame(failing(await examine()), [])
    t.equal(await failingCompanies(), 0)
    await second.end('SIGTERM')

    copy(DATA_DIR, newerCopy)
    rmSync(DATA_DIR, { recursive: true })
    copy(olderCopy, DATA_DIR)

    const restored = await start()
    // The fork becomes longer than the ledger that was signed.
    await makeCalls(restored, 3)
    const reason = `differs from its last external checkpoint at position ${position}`
    t.match((await get(restored, '/audit/v1/checkpoint')).body, { status: 503, detail: reason })
    t.equal((await get(restored, '/readyz')).status, 200, 'the service still takes calls')

    t.match(
      (await examine()).find(({ check }) => check === 'checkpoints'),
      { level: 'fail', found: reason },
    )

    const item = await eventually('attention says so', () => hasAttention(restored))
    t.match(item, { details: { error: reason } })
    const pages = { address: restored.address }
    const cookie = await cookieOf(pages, readDemo(DATA_DIR).admin)
    for (const page of ['/settings/bulk-user-logs', '/settings/ledger'])
      t.match((await browse(pages, page, { cookie })).text, reason, page)
    t.equal(await failingCompanies(), 1)
    const findings = await examine()
    t.match(
      findings.find(({ check }) => check === 'signing'),
      {
        level: 'fail',
        found: new RegExp(`${companyId}.*${reason}`),
        advice: /After a restore/,
      },
    )
    t.equal(lastSize(companyId), position, 'no checkpoint of the fork was signed')
    await restored.end('SIGTERM')
    t.match(
      (await examine()).find(({ check }) => check === 'signing'),
      { level: 'fail' },
      'also while nothing runs',
    )

    rmSync(DATA_DIR, { recursive: true })
    copy(newerCopy, DATA_DIR)
    const mended = await start()
    await makeCalls(mended, 1)
    await eventually('checkpoints continue', async () => lastSize(companyId) > position)
    t.equal(await hasAttention(mended), undefined)
    t.equal(await failingCompanies(), 0)
    t.strictSame(failing(await examine()), [])
    for (const { size } of witness.heads.values()) t.ok(size <= lastSize(companyId), 'the witness saw no fork')
    await mended.end('SIGTERM')
  },
)

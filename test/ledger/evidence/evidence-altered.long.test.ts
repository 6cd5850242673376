import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { compileGo } from '../../support/ledger/go-program.ts'
import { startService } from '../../support/service.ts'
import {
  changeByte,
  downloadEvidence,
  makeHistory,
  pack,
  unpack,
  verifyVariants,
  writeFiles,
} from '../../support/ledger/evidence.ts'

const service = await startService(t)
const folder = t.testdir()
const file = (name: string) => path.join(folder, name)
const missing = compileGo('docs/verify_ledger.go', folder)
const program = file('program')

const ana = await makeHistory(service, 'Ana')
await makeHistory(service, 'Zoe')
const zoe = (await service.audit('/events?type=EmployeeCreated')).body.at(-3).stream as string
await service.manage('POST', '/erasures', { employee_id: zoe })
const archives = {
  changed: await downloadEvidence(service, `employee=${ana.id}`),
  erased: await downloadEvidence(service, `employee=${zoe}`),
  whole: await downloadEvidence(service, 'from=2020-01-01T00:00:00Z'),
}
const unpackedArchives = await Promise.all(
  Object.entries(archives).map(async ([name, archive]) => ({ name, archive, files: await unpack(archive) })),
)
const PLACES = 1_000

for (const { name, archive, files } of unpackedArchives) {
  const unpacked = writeFiles(file(name), files)

  await t.test(
    `${name}: a byte changed in any of ${PLACES} places of the events is refused, with its line`,
    async (t) => {
      const events = Buffer.from(files['events.ndjson']!)
      const places = fc.sample(fc.tuple(fc.nat(events.length - 1), fc.integer({ min: 1, max: 255 })), {
        numRuns: PLACES,
        seed: 35,
      })
      const verdicts = verifyVariants(
        unpacked,
        places.map(([place, by]) => ({ 'events.ndjson': changeByte(events, place, by) })),
      )
      for (const [number, { kind, place, sentence }] of verdicts.entries()) {
        const [at, by] = places[number]!
        const line = events.subarray(0, at).toString('latin1').split('\n').length
        if (kind !== 'consistent' && place === `events.ndjson, line ${line}`) continue
        t.fail(`byte ${at} changed by ${by}: ${kind} in ${place}: ${sentence}`)
      }
      t.equal(verdicts.length, PLACES)
    },
  )

  await t.test(
    `${name}: the Go program verifies it, and finds what was changed`,
    {
      skip: missing !== null && `there is no ${missing} here`,
    },
    async (t) => {
      const run = async (changed: Record<string, Uint8Array>, ...keys: string[]) => {
        writeFileSync(file('variant.zip'), await pack({ ...files, ...changed }))
        const { status, stdout, stderr } = spawnSync(program, [file('variant.zip'), ...keys], { encoding: 'utf8' })
        return { status, told: stdout + stderr }
      }
      writeFileSync(file('archive.zip'), archive)
      const told = spawnSync(program, [file('archive.zip')], { encoding: 'utf8' }).stdout
      t.match(told, /^verified: (\d+) of \1 events are in the ledger of Acme at \d+ events\n$/)
      t.match(await run({}, files['key.txt']!.trim()), { status: 0, told })
      for (const [name, content] of Object.entries(files)) {
        const bytes = Buffer.from(content)
        for (const place of [0, bytes.length >> 1, bytes.length - 1]) {
          const { status, told } = await run({ [name]: changeByte(bytes, place) })
          const line = bytes.subarray(0, place).toString('latin1').split('\n').length
          t.equal(status, 1)
          t.match(told, `not verified: ${name}${name.endsWith('.ndjson') ? `, line ${line}` : ''}: `, `byte ${place}`)
        }
      }
    },
  )
}

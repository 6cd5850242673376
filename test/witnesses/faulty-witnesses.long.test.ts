import t from 'tap'
import { checkWitnesses } from '../../src/cli/doctor/check-tables.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service.ts'
import {
  addEvents,
  attentionOf,
  checkpointOf,
  passTime,
  progressOf,
  publishOnce,
  settingsOf,
  startWitnessed,
} from '../support/witnesses/publishing.ts'
import type { TestWitness } from '../support/witnesses/test-witness.ts'
import { startWitness } from '../support/witnesses/test-witness.ts'

await t.test('a witness that has seen another ledger is an alert, until it cosigns again', async (t) => {
  const { witness, service, origin } = await startWitnessed(t)
  await publishOnce(service)
  const { position } = await checkpointOf(service)
  const honest = witness.heads.get(origin)!
  const elsewhere = Buffer.alloc(32, 7)
  const forks: [what: string, size: number, error: RegExp][] = [
    ['one event more than there are', position + 3, new RegExp(`seen ${position + 3} events .* has ${position + 2}$`)],
    ['more events than there are', position + 100, new RegExp(`seen ${position + 100} events .* has ${position + 2}$`)],
    ['other events of the same size', position + 2, new RegExp(`another ledger of ${position + 2} events`)],
    ['other events before', position, new RegExp(`other events among the first ${position} `)],
  ]
  await addEvents(service)
  for (const [what, size, error] of forks) {
    witness.heads.set(origin, { size, root: elsewhere })
    await passTime(service)
    await publishOnce(service)
    t.match(await progressOf(service), [{ size: position, fault: 'conflict', error }], what)
    const [item] = await attentionOf(service)
    t.match(item, {
      kind: 'ledger_disputed',
      subject: { name: witness.key.name },
      details: { fault: 'conflict', error },
    })
  }
  t.equal((await checkpointOf(service)).witnessed.position, position, 'what was cosigned before is still served')
  // That it does not answer takes nothing back.
  witness.answer = (response) => response.destroy()
  await passTime(service)
  await publishOnce(service)
  t.match(await progressOf(service), [{ fault: 'conflict', attempts: 5 }])
  witness.answer = null
  witness.heads.set(origin, honest)
  await passTime(service)
  await publishOnce(service)
  t.match(await progressOf(service), [{ size: position + 2, attempts: 0, fault: null, error: null }])
  t.strictSame(await attentionOf(service), [])
})

await t.test('a witness that lies is an alert or a failure, and nothing of it is stored', async (t) => {
  const { witness, service } = await startWitnessed(t)
  const other = await startWitness(t, 'w1')
  const { position, note } = await checkpointOf(service)
  const LIES: [what: string, answer: TestWitness['answer'], fault: string, error: RegExp][] = [
    [
      'a cosignature of another text',
      (response, judge) =>
        response
          .writeHead(200)
          .end((judge() as string).replace(/(.)(.{9}=*\n)$/, (_, was, rest) => (was === 'A' ? 'B' : 'A') + rest)),
      'forged',
      /cosignature is invalid/,
    ],
    [
      'a cosignature of another key',
      (response) => response.end(`— ${other.key.name} AAAAAAAA\n`),
      'unavailable',
      /no cosig/,
    ],
    ['garbage', (response) => response.end('<html>'.repeat(100)), 'unavailable', /no cosignature/],
    ['bytes', (response) => response.end(Buffer.alloc(5_000, 0xfe)), 'unavailable', /no cosignature/],
    ['nothing', (response) => response.end(), 'unavailable', /no cosignature/],
    [
      'an answer without end',
      (response) => response.writeHead(200).end('x'.repeat(100_000)),
      'unavailable',
      /exceeded/,
    ],
    ['a redirect', (response) => response.writeHead(302, { location: '/' }).end(), 'unavailable', /answered 302/],
    ['an error', (response) => response.writeHead(500).end(), 'unavailable', /answered 500/],
    ['a size that was not asked', (response) => response.writeHead(409).end('0\n'), 'unavailable', /answered 409/],
    ['a size that is none', (response) => response.writeHead(409).end('-1\n'), 'unavailable', /answered 409/],
    ['it hangs up', (response) => response.destroy(), 'unavailable', /closed/],
  ]
  for (const [what, answer, fault, error] of LIES) {
    await service.db.deleteFrom('witness_progress').execute()
    witness.heads.clear()
    witness.answer = answer
    await publishOnce(service)
    t.match(await progressOf(service), [{ size: 0, attempts: 1, fault, error }], what)
    const { note: now, witnessed } = await checkpointOf(service)
    t.strictSame([now, witnessed], [note, null], what)
    t.equal((await attentionOf(service)).length, fault === 'forged' ? 1 : 0, what)
  }
  // A size that changes with each answer ends after a few.
  let sizes = 0
  witness.answer = (response) => response.writeHead(409).end(`${(sizes += 1)}\n`)
  await passTime(service)
  await publishOnce(service)
  t.equal(sizes, 3)
  t.equal((await checkpointOf(service)).position, position)
})

await t.test('a witness that never decides is a failure after three rounds', async (t) => {
  const { witness, service } = await startWitnessed(t)
  const { position } = await checkpointOf(service)
  let [answers, head] = [0, position]
  const UNDECIDED: [what: string, size: () => Promise<number>][] = [
    ['another size each time', async () => answers % position],
    [
      'as many events as the ledger has meanwhile',
      async () => {
        await addEvents(service)
        return (head += 2)
      },
    ],
  ]
  const publish = async () => {
    await passTime(service)
    await publishOnce(service)
  }
  for (const [what, size] of UNDECIDED) {
    witness.answer = async (response) => {
      answers += 1
      response.writeHead(409).end(`${await size()}\n`)
    }
    for (const attempts of [1, 2]) {
      await publish()
      t.match(await progressOf(service), [{ attempts, fault: null, error: null }], what)
      t.match(await checkWitnesses(service.pool, 1), [{ level: 'ok' }])
    }
    await publish()
    t.match(await progressOf(service), [{ attempts: 3, fault: 'unavailable', error: /another size/ }], what)
    t.match(await checkWitnesses(service.pool, 1), [{ level: 'warn', found: /another size/ }], 'doctor says so')
    witness.answer = null
    await publish()
    t.match(await progressOf(service), [{ attempts: 0, fault: null }])
    await addEvents(service)
    head += 2
  }
})

await t.test('a witness that does not know the ledger, or its key, is unavailable', async (t) => {
  const witness = await startWitness(t, 'w1')
  const service = await startService(t, witness.settings)
  await publishOnce(service)
  t.match(await progressOf(service), [{ fault: 'unavailable', error: /does not know the ledger/ }])
  const { body } = await service.audit('/keys')
  witness.know(`${body.items[0].public_key.split('+')[0]}+00000000+${Buffer.alloc(33, 1).toString('base64')}`)
  await passTime(service)
  await publishOnce(service)
  t.match(await progressOf(service), [{ fault: 'unavailable', error: /does not know the key/, attempts: 2 }])
})

await t.test('a witness that hangs keeps neither calls, nor checkpoints, nor another witness waiting', async (t) => {
  const [hanging, honest] = [await startWitness(t, 'w1'), await startWitness(t, 'w2')]
  const service = await startService(t, settingsOf([hanging, honest], 1))
  const companies = await Promise.all(['B', 'C', 'D'].map((name) => service.makeCompany(name)))
  for (const { auditor } of [service.company, ...companies]) {
    const { body } = await service.audit('/keys', auditor.token)
    honest.know(body.items[0].public_key)
  }
  let hung = 0
  hanging.answer = () => (hung += 1)
  const stopping = new AbortController()
  const round = publishOnce(service, stopping.signal)
  await eventually('both were asked for each ledger', async () => honest.heads.size >= 4 && hung >= 4)
  await addEvents(service)
  t.equal((await service.audit('/checkpoint')).status, 200)
  stopping.abort(new Error('stopped'))
  await round
  t.equal(hung, 4)
  // What was under way is tried again, and was not the fault of the witness.
  const rows = await service.db.selectFrom('witness_progress').select(['fault', 'size']).execute()
  t.equal(rows.filter(({ fault, size }) => fault === null && size === 0).length, 4)
})

await t.test('witnesses that are not configured any more are forgotten', async (t) => {
  const { witness, service } = await startWitnessed(t)
  witness.answer = (response) => response.writeHead(409).end('1000000\n')
  await publishOnce(service)
  t.equal((await attentionOf(service)).length, 1)
  await publishOnce({
    ...service,
    config: { ...service.config, WITNESS_URLS: undefined, WITNESS_KEYS: undefined } as never,
  })
  t.strictSame(await progressOf(service), [])
  t.strictSame(await attentionOf(service), [])
})

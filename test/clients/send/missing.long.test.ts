import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { startSending } from '../../support/run-send.ts'

/* Who is no longer in a file that is sent: `--deactivate-missing --at-most N`. */

const { service, proxy, folder, start, run, write } = await startSending(t)

const HEADER = 'external_id,first_name,last_name,email'
const person = (id: string) => `${id},Ana,${id},${id.toLowerCase()}@example.com`
const fileOf = (ids: string[]) => `${[HEADER, ...ids.map(person)].join('\n')}\n`
const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => `P-${first + at}`)

async function active() {
  await service.project()
  const { items } = (await service.call('GET', '/v1/employees?status=active&limit=200')).body
  return (items as { external_id: string }[]).map(({ external_id: id }) => id)
}

async function entries() {
  await service.project()
  const { items } = (await service.admin('/bulk-user-logs?limit=200')).body
  return (items as { counts: { total: number; updated: number } }[]).map(({ counts }) => counts.total)
}

/** Adds people who are in no file. Returns their ids. */
async function addPeople(names: string[]): Promise<string[]> {
  const body = names.map((name) => ({
    external_id: name,
    first_name: 'Ana',
    last_name: name,
    email: `${name}@example.com`,
  }))
  const { employees } = (await service.call('POST', '/v1/employees', { body })).body
  await service.project()
  return (employees as { id: string }[]).map(({ id }) => id)
}

/** Runs the command with an answer to the call that deactivates people, behind the file, and both lists. */
async function answerDeactivation(answer: Response) {
  let seen = 0
  proxy.onRequest = () => {
    seen += 1
    return seen === 4 ? answer : undefined
  }
  const outcome = await run(deactivate(99))
  proxy.onRequest = () => undefined
  return outcome
}

const deactivate = (atMost: number, name = 'staff.csv') => [
  ...['send', name, '--max-records', '10'],
  ...['--deactivate-missing', '--at-most', String(atMost)],
]

await t.test('who is not in the file stays active unless that is asked for, and not beyond the limit', async (t) => {
  write('staff.csv', fileOf(idsFrom(0, 30)))
  t.match(await run(['send', 'staff.csv']), { code: 0 })
  await active()
  write('staff.csv', fileOf(idsFrom(3, 28)))
  t.match(await run(['send', 'staff.csv']), { code: 0, out: /1 created, 0 changed, 27 unchanged\n$/ })
  t.equal((await active()).length, 31)
  const beyond = await run(deactivate(2))
  t.match(beyond, { code: 1, out: '28 unchanged; 0 not in the file deactivated' })
  t.match(beyond.err, 'staff.csv: not in the file: Ana P-1 (P-1)')
  t.match(beyond.err, '3 active people are not in the file, and at most 2 may be deactivated: nobody was')
  t.equal((await active()).length, 31)
  t.notOk(existsSync(path.join(folder, 'staff.csv.send-state.json')), 'the run is complete')
})

await t.test('a dry run lists them by name, and deactivates nobody', async (t) => {
  const dry = await run([...deactivate(3), '--dry-run'])
  t.match(dry, { code: 0, out: '28 unchanged, 0 refused; 3 not in the file; nothing was applied' })
  t.match(dry.err, 'not in the file: Ana P-2 (P-2)')
  t.match(await run([...deactivate(2), '--dry-run']), { code: 1, err: /at most 2 may be deactivated/ })
  write('refused.csv', `${fileOf(idsFrom(3, 27))}P-30,Ana,P-30,p-30@@example.com\n`)
  const refused = await run([...deactivate(3, 'refused.csv'), '--partly', '--dry-run'])
  t.match(refused, {
    code: 1,
    out: /, 1 refused; nothing was applied/,
    err: /nobody would be deactivated if records are/,
  })
  let calls = 0
  proxy.onRequest = () => {
    calls += 1
    return calls > 3 ? new Response('', { status: 403 }) : undefined
  }
  const unlisted = await run([...deactivate(3), '--dry-run'])
  t.match(unlisted, { code: 2, out: '', err: /\nNothing was applied\.\n$/ })
  proxy.onRequest = () => undefined
  t.equal((await active()).length, 31)
})

await t.test('they are deactivated by an update of its own at the end, once', async (t) => {
  const before = await entries()
  const { code, out, err } = await run(deactivate(3))
  t.equal(code, 0, err)
  t.match(out, '28 unchanged; 3 not in the file deactivated')
  t.strictSame((await active()).toSorted(), idsFrom(3, 28).toSorted())
  t.equal((await entries())[0], 3)
  t.equal((await entries()).length, before.length + 4)
  t.match(await run(deactivate(3)), { code: 0, out: /; 0 not in the file deactivated/ })
})

await t.test('who is named by another identifier, in other letters, or as a manager, is not missing', async (t) => {
  const [three, eight] = await Promise.all(
    ['P-3', 'P-8'].map(async (id) => (await service.call('GET', `/v1/employees?external_id=${id}`)).body.items[0]),
  )
  write(
    'named.json',
    JSON.stringify([
      { id: three.id, department: 'Sales' },
      { email: 'P-4@EXAMPLE.COM', department: 'Sales' },
      { external_id: 'P-6' },
      { external_id: 'P-7', manager_id: eight.id },
      ...idsFrom(9, 22).map((id) => ({ external_id: id, manager_external_id: id === 'P-9' ? 'P-5' : null })),
    ]),
  )
  t.match(await run([...deactivate(1, 'named.json'), '--update']), { code: 0, out: /; 0 not in the file/ })
  t.equal((await active()).length, 28)
})

await t.test('if somebody in the file may not be recognized, nobody is deactivated', async (t) => {
  write('typo.csv', `${fileOf(idsFrom(3, 27))},Ana,P-30,p-30@@example.com\n`)
  const typo = await run([...deactivate(5, 'typo.csv'), '--partly'])
  t.match(typo, { code: 1, err: /nobody was deactivated: the records that were refused may be about people/ })
  write('nobody.csv', `${fileOf(idsFrom(3, 27))},Ana,P-30,\n`)
  const nobody = await run(deactivate(5, 'nobody.csv'))
  t.match(nobody, { code: 1, out: '', err: /nobody.csv: line 29: has no id, external_id, or email/ })
  write('page.json', JSON.stringify({ totalResults: 40, Resources: [{ externalId: 'P-3' }] }))
  t.match(await run(deactivate(50, 'page.json')), { code: 1, out: '', err: /1 of 40 records/ })
  t.equal((await active()).length, 28)
})

await t.test('a run that is killed at any point goes on, and deactivates each of them once', async (t) => {
  write('staff.csv', fileOf(idsFrom(28, 5)))
  const before = await entries()
  for (const [moment, calls] of [
    ['onRequest', 4],
    ['onAnswer', 3],
    ['onRequest', 2],
    ['onAnswer', 2],
  ] as const) {
    let seen = 0
    const { child, done } = start(deactivate(28))
    proxy[moment] = async () => {
      seen += 1
      if (seen < calls) return
      child.kill('SIGKILL')
      await done
    }
    await done
    proxy[moment] = () => undefined
    t.equal(child.signalCode, 'SIGKILL')
    const state = readFileSync(path.join(folder, 'staff.csv.send-state.json'), 'utf8')
    t.notMatch(state, 'Ana', 'no names are stored')
  }
  const { code, out, err } = await run(deactivate(28))
  t.equal(code, 0, err)
  t.match(out, '2 created, 0 changed, 3 unchanged; 25 not in the file deactivated', 'counts those of earlier runs')
  t.strictSame((await active()).toSorted(), idsFrom(28, 5).toSorted())
  t.strictSame((await entries()).slice(0, -before.length), [5, 10, 10, 5])
})

await t.test('who could not be deactivated is counted with the reason, unless erased meanwhile', async (t) => {
  const ids = await addPeople(['R-1', 'R-2', 'R-3', 'R-4'])
  const refuse = (index: number, code: string) => ({ index, id: ids[index], pointer: '', code, message: `is ${code}` })
  const errors = [refuse(0, 'employee_not_found'), refuse(1, 'already_exists')]
  const results = ids.map((id, index) => ({
    index,
    id,
    result: index < 2 ? 'failed' : 'deactivated',
    errors: errors.slice(index, index + 1),
  }))
  const refuseAll = (all: typeof errors) =>
    Response.json({ title: 'Not valid', code: 'validation_failed', detail: 'It is not', errors: all }, { status: 422 })
  for (const [answer, out, count] of [
    [Response.json({ results }), '2 not in the file deactivated', 1],
    [refuseAll(errors), '0 not in the file deactivated', 3],
  ] as const) {
    const outcome = await answerDeactivation(answer)
    t.match(outcome, { code: 1, out })
    t.match(outcome.err, `staff.csv: not deactivated: ${ids[1]}: is already_exists\n`)
    t.notMatch(outcome.err, 'is employee_not_found')
    t.match(outcome.err, `staff.csv: ${count} of those who are not in the file could not be deactivated`)
  }
  const erased = refuseAll(ids.map((_, at) => refuse(at, 'employee_not_found')))
  t.match(await answerDeactivation(erased), { code: 0, out: '0 not in the file deactivated' })
})

await t.test('a limit that is lowered holds, with those whom the run deactivated before', async (t) => {
  const added = idsFrom(40, 15)
  await addPeople(added)
  let seen = 0
  proxy.onRequest = () => {
    seen += 1
    return seen === 5 ? new Response('', { status: 403 }) : undefined
  }
  t.match(await run(deactivate(99)), { code: 2, err: /Run the same command again to deactivate/ })
  proxy.onRequest = () => undefined
  await service.project()
  const beyond = await run(deactivate(10))
  t.match(beyond, { code: 1, out: '; 10 not in the file deactivated', err: /38 were deactivated since yesterday/ })
  t.match(await run(deactivate(99)), { code: 0, out: `; ${added.length + 4 - 10} not in the file deactivated` })
  t.strictSame((await active()).toSorted(), idsFrom(28, 5).toSorted())
})

await t.test('two processes at once deactivate each of them once', async (t) => {
  write('staff.csv', fileOf(idsFrom(31, 2)))
  const outcomes = await Promise.all([run(deactivate(99)), run(deactivate(99))])
  for (const { code, err } of outcomes) t.equal(code, 0, err)
  t.strictSame((await active()).toSorted(), idsFrom(31, 2).toSorted())
  const { items } = (await service.call('GET', '/v1/employees?external_id=P-30')).body
  t.match(items, [{ status: 'inactive', version: 2 }])
})

await t.test('files of one day share the limit, also with what others deactivate', async (t) => {
  const body = idsFrom(60, 4).map((id) => ({ external_id: id, first_name: 'Ana', last_name: id }))
  await service.call('POST', '/v1/employees', { body })
  await active()
  const beyond = await run(deactivate(4))
  t.match(beyond, {
    code: 1,
    err: /4 active people are not in the file, \d+ were deactivated since yesterday, and at most 4/,
  })
  t.equal((await active()).length, 6)
})

await t.test('both options are given together', async (t) => {
  const err = /give --deactivate-missing and --at-most together/
  t.match(await run(['send', 'staff.csv', '--deactivate-missing']), { code: 2, err })
  t.match(await run(['send', 'staff.csv', '--at-most', '3']), { code: 2, err })
  t.match(await run(deactivate(0)), { code: 2, err: /--at-most must be a number from 1/ })
})

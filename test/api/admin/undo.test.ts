import t from 'tap'
import { hasPython, shown, verifyHere, verifyInPython } from '../../support/ledger/both-verifiers.ts'
import { exportLines } from '../../support/ledger/export-lines.ts'
import { holdHead, letGo } from '../../support/postgres/held-rows.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import { connectProvider } from '../../support/scim-client.ts'
import { employee, startService } from '../../support/service.ts'

/* Undoing entries, decided on the state of the moment. */

// Room for two undos at once.
const service = await startService(t, { POOL_SIZE: '12' })
const { company } = service

const create = async (...people: object[]) => {
  const { body } = await service.call('POST', '/v1/employees', { body: people.map((one) => employee({ ...one })) })
  return { logId: body.log_id as string, ids: (body.employees as { id: string }[]).map(({ id }) => id) }
}
const update = async (...records: object[]) => {
  const { body } = await service.call('PATCH', '/v1/employees', { body: records })
  return body.log_id as string
}
const undo = (logId: string, query = '', token?: string | null) =>
  service.manage('POST', `/bulk-user-logs/${logId}/undo${query}`, undefined, token)
const read = async (id: string) => (await service.call('GET', `/v1/employees/${id}`)).body
const headOf = async () => (await service.audit('/checkpoint')).body.position as number
const PARTLY = '?all_or_none=false'

await t.test('an undo gives attributes their old values, with an entry of its own, and can be undone', async (t) => {
  const { ids } = await create({ job_title: 'Dev', custom_attributes: { grade: 6 } }, {})
  const logId = await update(
    { id: ids[0], job_title: 'Lead', location: 'Rome', custom_attributes: { grade: null, team: 'a' } },
    { id: ids[1], status: 'inactive' },
  )
  const answer = await undo(logId)
  t.match(answer, {
    status: 200,
    body: {
      log_id: /^log_/,
      undoes: logId,
      counts: { total: 2, updated: 2, deactivated: 0, failed: 0, no_updates: 0 },
      attributes: { restored: 5, left: 0 },
      results: [
        { index: 0, id: ids[0], result: 'synced', left: [], errors: [] },
        { index: 1, id: ids[1], status: 'active', result: 'reactivated', changed: ['status'] },
      ],
    },
  })
  t.equal(answer.headers['x-ledger-position'], String(await headOf()))
  t.match(await read(ids[0]!), { job_title: 'Dev', location: null, custom_attributes: { grade: 6 } })
  const undoId = answer.body.log_id as string
  const { entry, records } = await service.logOf(undoId)
  t.match(entry, {
    status: 'Completed',
    name: 'Undo',
    operation: 'undo',
    key: null,
    user: { id: company.admin.user_id },
    file: null,
    undoes: logId,
    undone_by: [],
  })
  t.match(records, [
    { status: 'Synced', changes: { job_title: { from: 'Lead', to: 'Dev' } } },
    { status: 'Reactivated' },
  ])
  t.match((await service.logOf(logId)).entry, {
    undoes: null,
    undone_by: [{ id: undoId, state: 'undone', is_undone: false }],
  })
  t.match((await undo(undoId)).body, { counts: { updated: 1, deactivated: 1 } })
  t.match(await read(ids[0]!), { job_title: 'Lead', location: 'Rome', custom_attributes: { team: 'a' } })
  t.match((await service.logOf(logId)).entry.undone_by, [{ id: undoId, is_undone: true }])
})

await t.test('what was changed later stays, with the entry that did, and what somebody else has by now', async (t) => {
  const { ids, logId: created } = await create({ email: 'old@undo.example' }, {}, {})
  const logId = await update({ id: ids[0], email: 'new@undo.example', job_title: 'Lead', location: 'Rome' })
  const later = await update({ id: ids[0], job_title: 'Boss' }, { id: ids[1], email: 'old@undo.example' })
  const refused = await undo(logId)
  t.match(refused, {
    status: 422,
    body: {
      code: 'validation_failed',
      log_id: /^log_/,
      errors: [{ pointer: '/0/job_title' }, { pointer: '/0/email' }],
    },
  })
  t.match(await undo(logId, `${PARTLY}&validate_only=true`), { status: 200, body: { log_id: undefined } })
  t.match(await read(ids[0]!), { job_title: 'Boss', location: 'Rome' })
  const { body } = await undo(logId, PARTLY)
  t.match(body, {
    attributes: { restored: 1, left: 2 },
    results: [
      {
        changed: ['location'],
        left: [
          { attribute: 'job_title', reason: 'changed_meanwhile', changed_by: { log_id: later } },
          { attribute: 'email', reason: 'held', changed_by: null },
        ],
      },
    ],
  })
  t.match((await service.logOf(logId)).entry.undone_by, [{ id: body.log_id, state: 'partly_undone' }])
  const { body: ofCreation } = await undo(created, PARTLY)
  t.match(ofCreation, {
    counts: { total: 3, deactivated: 1, no_updates: 2 },
    results: [
      { left: [{ attribute: 'status', reason: 'employee_changed', changed_by: { log_id: body.log_id } }] },
      { left: [{ attribute: 'status', changed_by: { log_id: later } }] },
      { status: 'inactive', result: 'deactivated', left: [] },
    ],
  })
})

await t.test('of two administrators at once, the second finds nothing left', async (t) => {
  const { ids } = await create({ job_title: 'Dev' })
  const logId = await update({ id: ids[0], job_title: 'Lead' })
  const held = await holdHead(service)
  const both = [undo(logId), undo(logId)]
  await lockIsAwaited(service, 'heads')
  await letGo(held)
  const answers = await Promise.all(both)
  t.strictSame(answers.map(({ status, body }) => `${status} ${body.attributes?.restored ?? body.detail}`).toSorted(), [
    '200 0',
    '200 1',
  ])
  t.equal((await read(ids[0]!)).version, 3)
  t.equal((await service.logOf(logId)).entry.undone_by.length, 1)
})

await t.test('what was erased stays erased, and leaves nothing but the id', async (t) => {
  const { ids } = await create({ email: 'gone@undo.example', job_title: 'Dev' }, { job_title: 'Dev' })
  const logId = await update({ id: ids[0], email: 'went@undo.example' }, { id: ids[1], job_title: 'Lead' })
  await service.manage('POST', '/erasures', { employee_id: ids[0] })
  t.match(await undo(logId), { status: 422 })
  const { body } = await undo(logId, PARTLY)
  t.match(body, {
    counts: { total: 2, updated: 1, failed: 1 },
    results: [{ result: 'failed', errors: [{ message: /erased/ }] }, { changed: ['job_title'] }],
  })
  t.match((await service.logOf(body.log_id)).records[0], { record: { id: ids[0] }, errors: [{ message: /erased/ }] })
})

await t.test('an identity provider sees whom it deleted after an undo, and not after an undo of that', async (t) => {
  const idp = await connectProvider(service, 'Provider')
  const post = async () =>
    (await idp.post({ userName: `u${await headOf()}`, name: { familyName: 'Orr' } })).body.id as string
  const undoLast = async () => undo((await idp.lastEntry()).entry.id)
  const list = async () => {
    await service.project()
    const { totalResults, Resources } = (await idp.ask('GET', '/Users')).body
    t.equal(totalResults, Resources.length)
    return (Resources as { id: string }[]).map(({ id }) => id)
  }
  const [active, inactive] = [await post(), await post()]
  await update({ id: inactive, status: 'inactive' })
  for (const [id, status] of [
    [active, 'active'],
    [inactive, 'inactive'],
  ] as const) {
    t.equal((await idp.remove(id)).status, 204)
    const { deprovisioned_at: hiddenAt } = await read(id)
    const { body } = await undoLast()
    t.match(body, { counts: { updated: 1 }, results: [{ status }] })
    t.match(await idp.get(id), { status: 200, body: { active: status === 'active' } })
    t.ok((await list()).includes(id))
    t.match((await undo(body.log_id)).body, { results: [{ id, status: 'inactive', left: [] }] })
    t.equal((await idp.get(id)).status, 404)
    t.notOk((await list()).includes(id))
    t.equal((await read(id)).deprovisioned_at, hiddenAt)
  }
  const back = await update({ id: inactive, status: 'active' })
  t.match((await undo(back)).body, { results: [{ status: 'inactive' }] })
  t.equal((await idp.get(inactive)).status, 404, 'as before they came back')
})

await t.test('a call that changed nothing, or is not of the company, cannot be undone', async (t) => {
  const { ids } = await create({ job_title: 'Dev' })
  const failed = await update({ id: ids[0], phone: '12' })
  const unchanged = await update({ id: ids[0], job_title: 'Dev' })
  const before = await headOf()
  for (const logId of [failed, unchanged])
    t.match(await undo(logId), { status: 409, body: { code: 'nothing_to_undo' } })
  const other = await service.makeCompany('Other')
  const theirs = await update({ id: ids[0], job_title: 'Lead' })
  t.match(await undo(theirs, '', other.admin.token), { status: 404, body: { code: 'log_not_found' } })
  const asBody = await service.manage('POST', `/bulk-user-logs/${theirs}/undo`, { validate_only: true })
  t.match(asBody, { status: 400, body: { code: 'invalid_body' } }, 'a switch in the body is not overlooked')
  t.match(await undo('log_01h455vb4pex5vsknk084sn02q'), { status: 404, body: { code: 'log_not_found' } })
  t.match(await undo(theirs, '', company.auditor.token), { status: 403, body: { code: 'admin_only' } })
  t.equal(await headOf(), before + 2)
})

await t.test('both verifiers accept a ledger with undone calls', { skip: !hasPython() && 'no python3' }, async (t) => {
  const { note, public_key: publicKey } = (await service.audit('/checkpoint')).body
  const bytes = Buffer.from((await exportLines(service.db, company.id)).join(''))
  const whole = { bytes, checkpoints: Buffer.from(note), publicKey }
  const consistent = { verdict: 'consistent', position: null } as const
  t.strictSame(shown(await verifyHere(whole)), consistent)
  t.strictSame(await verifyInPython([whole]), [consistent])
})

import net from 'node:net'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { removeUser } from '../../src/accounts/users/change-user.ts'
import { eraseUser } from '../../src/personal-data/erase-user.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { OPERATOR } from '../../src/ledger/append/append-company-events.ts'
import { deleteOldEmails, endOverdueEmails } from '../../src/accounts/mail/outbox.ts'
import { sendNextEmail, claimEmail, listCompaniesWithMail, markSending } from '../../src/delivery/mail/send-next.ts'
import { refuseWith, startMailServer } from '../support/mail/mail-server.ts'
import { openProxy } from '../support/lines/open-proxy.ts'
import { openTestOutbox } from '../support/mail/outbox.ts'
import { startService } from '../support/service.ts'
import { earlier } from '../support/postgres/move-back.ts'

const service = await startService(t)
const { pool, company } = service
const mail = openTestOutbox(service)
const running = new AbortController().signal
/** A test that begins without messages. */
const test = (name: string, run: (t: Test) => Promise<void>) =>
  t.test(name, async (t) => {
    await mail.clear()
    await run(t)
  })

const send = (url: string, signal = running, timeouts = { openMs: 5_000, sendMs: 5_000 }) =>
  sendNextEmail(mail.services(url, { timeouts }), company.id, signal)

await test('a message arrives once, over STARTTLS with the password, and nothing of it stays', async (t) => {
  const server = await startMailServer(t)
  await mail.enqueue({
    subject: 'A subject',
    paragraphs: ['Dear Ana,', { text: 'Open', url: 'https://ledger.example/x?a=1&b=2' }],
  })
  t.equal(await send(server.url), true)
  t.equal(await send(server.url), false)
  const [email] = server.received
  t.equal(server.received.length, 1)
  t.strictSame(
    [email?.from, email?.to, email?.isEncrypted, email?.user],
    [...['ledger@ledger.example', [company.admin.email], true, 'ledger']],
  )
  t.match(email?.headers, {
    from: 'Ledger <ledger@ledger.example>',
    to: company.admin.email,
    subject: 'A subject',
    'auto-submitted': 'auto-generated',
    'message-id': /^<[0-9a-f-]{36}@ledger\.example>$/,
  })
  t.match(email?.text, 'Dear Ana,\n\nOpen:\nhttps://ledger.example/x?a=1&b=2\n')
  t.match(email?.html, '<a href="https://ledger.example/x?a=1&amp;b=2"')
  t.match(await mail.rows(), [{ kind: 'alert', state: 'sent', has_content: false, error: null, attempts: 1 }])
})

await test('a domain beyond ASCII is sent in A-labels, and a name before the @ only to a server that takes it', async (t) => {
  let said = ''
  const start = async (hideSMTPUTF8: boolean) => {
    const { url } = await startMailServer(t, { authOptional: true, hideSTARTTLS: true, hideSMTPUTF8 })
    const { through } = await openProxy(t, url, ({ send }) => ({
      fromClient(bytes) {
        said += bytes.toString()
        send(bytes)
      },
    }))
    return through(url)
  }
  const [able, unable] = [await start(false), await start(true)]
  const { email, user_id: userId } = company.admin
  const changeAddress = (to: string) =>
    pool.query('update users set email = $2 where user_id = $1', [toUuid(userId), to])
  t.teardown(() => changeAddress(email))
  const outcomes = async (to: string) => {
    const states: unknown[] = []
    await changeAddress(to)
    for (const url of [able, unable]) {
      await mail.clear()
      await mail.enqueue()
      await send(url)
      states.push((await mail.rows())[0])
    }
    return states
  }
  const sent = { state: 'sent', error: null }
  t.match(await outcomes('bjorn@zürich.example'), [sent, sent])
  const refused = { state: 'failed', error: /^The mail server takes only ASCII characters before the @/ }
  t.match(await outcomes('bjørn@zürich.example'), [sent, refused])
  const recipients = Array.from(said.matchAll(/^RCPT TO:<(.*)>/gm), ([, address]) => address)
  t.strictSame(recipients, [
    'bjorn@xn--zrich-kva.example',
    'bjorn@xn--zrich-kva.example',
    'bjørn@xn--zrich-kva.example',
  ])
})

await test('implicit TLS works, and so does a server that asks for neither TLS nor a password', async (t) => {
  const secure = await startMailServer(t, { secure: true })
  const plain = await startMailServer(t, { authOptional: true, hideSTARTTLS: true })
  for (const { url } of [secure, plain]) {
    await mail.enqueue()
    await send(url)
  }
  t.strictSame(
    [...secure.received, ...plain.received].map(({ isEncrypted }) => isEncrypted),
    [true, false],
  )
})

await test('a password is never sent in the clear', async (t) => {
  const server = await startMailServer(t, {
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
  })
  await mail.enqueue()
  await send(server.url)
  t.strictSame(server.received, [])
  t.match(await mail.rows(), [{ state: 'waiting', has_content: true }])
})

await test('a server with another certificate than its name gets nothing', async (t) => {
  const server = await startMailServer(t, {}, { host: '127.0.0.2' })
  await mail.enqueue()
  await send(server.url.replace('localhost', '127.0.0.2'))
  t.strictSame(server.received, [])
  t.match(await mail.rows(), [{ state: 'waiting', error: "The server's certificate could not be verified" }])
})

await test('a message that the server refuses for now is tried again later, and only then', async (t) => {
  const server = await startMailServer(t)
  server.judge = () => refuseWith(451)
  await mail.enqueue()
  await send(server.url)
  t.match(await mail.rows(), [{ state: 'waiting', has_content: true, error: 'The server answered 451 to DATA' }])
  t.equal(await send(server.url), false, 'not at once')
  server.judge = () => undefined
  await mail.passTime()
  await send(server.url)
  t.equal(server.received.length, 2)
  t.match(await mail.rows(), [{ state: 'sent', has_content: false, attempts: 2 }])
})

await test('a message that the server refuses for good is given up', async (t) => {
  const server = await startMailServer(t)
  server.judge = () => refuseWith(554)
  await mail.enqueue()
  await send(server.url)
  t.match(await mail.rows(), [{ state: 'failed', has_content: false, error: 'The server answered 554 to DATA' }])
  const strict = await startMailServer(t, { onRcptTo: (_address, _session, done) => done(refuseWith(550)) })
  await mail.clear()
  await mail.enqueue()
  await send(strict.url)
  t.match(await mail.rows(), [{ state: 'failed', has_content: false, error: 'The server answered 550 to RCPT TO' }])
})

await test('wrong credentials, and a refused sender, are tried again: an operator can correct them', async (t) => {
  const server = await startMailServer(t, { onMailFrom: (_address, _session, done) => done(refuseWith(550)) })
  await mail.enqueue()
  await send(server.url)
  t.match(await mail.rows(), [{ state: 'waiting', error: 'The server answered 550 to MAIL FROM' }])
  await mail.passTime()
  await send(server.url.replace('ledger:', 'other:'))
  t.match(await mail.rows(), [{ state: 'waiting', error: 'The server did not accept the credentials (535)' }])
})

await test('servers that are absent or silent are tried again', async (t) => {
  const silent = net.createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  await mail.enqueue()
  await send(`smtp://127.0.0.1:${port}`, running, { openMs: 300, sendMs: 300 })
  t.match(await mail.rows(), [{ state: 'waiting', error: 'The server did not answer in time' }])
  await mail.passTime()
  const gone = await startMailServer(t)
  await gone.close()
  await send(gone.url)
  t.match(await mail.rows(), [{ state: 'waiting', attempts: 2, error: 'The connection was refused' }])
})

await test('if a server keeps silent after it has the message, the outcome is unknown, and it is not sent again', async (t) => {
  const server = await startMailServer(t)
  server.judge = () => new Promise(() => undefined)
  await mail.enqueue()
  await send(server.url, running, { openMs: 5_000, sendMs: 500 })
  t.equal(server.received.length, 1)
  t.match(await mail.rows(), [{ state: 'unknown', has_content: false, error: 'The server did not answer in time' }])
  await mail.passTime()
  t.equal(await send(server.url), false)
})

await test('if the connection is lost while the server has the message, it is not sent again', async (t) => {
  const server = await startMailServer(t)
  const cut = new AbortController()
  server.judge = () => {
    cut.abort()
    return new Promise(() => undefined)
  }
  await mail.enqueue()
  await send(server.url, cut.signal)
  t.match(await mail.rows(), [{ state: 'unknown', has_content: false }])
})

await test('if a process stops before the server knows of the message, it is sent later', async (t) => {
  const cut = new AbortController()
  const server = await startMailServer(t, {
    onRcptTo: () => cut.abort(),
  })
  await mail.enqueue()
  await send(server.url, cut.signal)
  t.match(await mail.rows(), [{ state: 'waiting', has_content: true }])
})

await test('of a process that was killed after the server was told, the outcome is unknown', async (t) => {
  const server = await startMailServer(t)
  await mail.enqueue()
  const killed = await claimEmail(pool, company.id, randomUUID())
  t.equal(await markSending(pool, killed!), true)
  t.equal(await send(server.url), false, 'while its lease lasts, nobody else sends it')
  t.equal(await endOverdueEmails(pool), 0)
  await mail.passTime()
  t.equal(await send(server.url), false)
  t.equal(await endOverdueEmails(pool), 1)
  t.match(await mail.rows(), [{ state: 'unknown', has_content: false, error: 'The process that sent it has ended' }])
  t.strictSame(server.received, [])
})

await test('of a process that was killed before, another one sends the message, and the first one does not', async (t) => {
  const server = await startMailServer(t)
  await mail.enqueue()
  const killed = await claimEmail(pool, company.id, randomUUID())
  t.equal(await send(server.url), false)
  await mail.passTime()
  t.equal(await send(server.url), true)
  t.equal(await markSending(pool, killed!), false)
  t.equal(server.received.length, 1)
})

await test('processes that send at once send each message once', async (t) => {
  const server = await startMailServer(t)
  for (let count = 0; count < 20; count += 1) await mail.enqueue({ subject: `Message ${count}` })
  const work = async () => {
    while (await send(server.url));
  }
  await Promise.all([work(), work(), work()])
  const subjects = server.received.map(({ headers }) => headers['subject'])
  t.equal(subjects.length, 20)
  t.equal(new Set(subjects).size, 20)
})

await test('a message that could not be sent in time is given up', async (t) => {
  await mail.enqueue()
  await mail.enqueue({ expiresAt: new Date(Date.now() - 1_000).toISOString() })
  t.equal(await endOverdueEmails(pool), 1)
  await pool.query(
    `update emails set give_up_at = ${earlier('give_up_at', "interval '24 hours'")} where ended_at is null`,
  )
  t.equal(await endOverdueEmails(pool), 1)
  t.match(await mail.rows(), [
    { state: 'failed', has_content: false, error: 'It could not be sent in time' },
    { state: 'failed', has_content: false },
  ])
})

await test('a removed user gets no more messages, and after an erasure nothing of them is stored', async (t) => {
  const server = await startMailServer(t)
  const changing = { pool, newId }
  const acting = { companyId: company.id, actor: OPERATOR }
  const userId = company.member.user_id
  await mail.enqueue({ userId })
  await mail.enqueue({ userId })
  const claimed = await claimEmail(pool, company.id, randomUUID())
  await markSending(pool, claimed!)
  await removeUser(changing, acting, userId)
  await mail.enqueue({ userId })
  t.strictSame((await mail.rows()).map(({ state, has_content: has }) => `${state} ${has}`).toSorted(), [
    ...['canceled false', 'sending false'],
  ])
  await eraseUser(changing, acting, userId)
  t.equal(await send(server.url), false)
  t.strictSame(server.received, [])
})

await test('records are deleted after 30 days, but not messages that wait', async (t) => {
  const server = await startMailServer(t)
  await mail.enqueue()
  await send(server.url)
  await mail.enqueue()
  t.equal(await deleteOldEmails(pool), 0)
  await pool.query(`update emails set created_at = ${earlier('created_at', "interval '30 days 1 minute'")}`)
  t.equal(await deleteOldEmails(pool), 1)
  t.match(await mail.rows(), [{ state: 'waiting' }])
})

await test('companies with messages are listed once, those that have waited longest first', async (t) => {
  const other = await service.makeCompany('Other')
  await mail.enqueue()
  await mail.passTime()
  await mail.enqueue({}, other)
  await mail.enqueue()
  t.strictSame(await listCompaniesWithMail(pool), [company.id, other.id])
})

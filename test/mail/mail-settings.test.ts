import t from 'tap'
import { readMailServer } from '../../src/delivery/mail/mail-server.ts'

const PUBLIC_URL = 'https://ledger.example'
const MAIL_FROM = 'ledger@ledger.example'
const read = (SMTP_URL: string, from = MAIL_FROM) => readMailServer({ SMTP_URL, MAIL_FROM: from, PUBLIC_URL })

await t.test('a server is read with its usual port, its credentials, and the sender', async (t) => {
  t.strictSame(read('smtp://relay.example'), {
    host: 'relay.example',
    port: 587,
    isImplicitTls: false,
    credentials: null,
    from: { name: '', address: 'ledger@ledger.example' },
  })
  t.match(read('smtps://user%40x:p%3Aw%2F@[::1]:2465', 'Ledger of Acme <ledger@ledger.example>'), {
    host: '::1',
    port: 2465,
    isImplicitTls: true,
    credentials: { user: 'user@x', password: 'p:w/' },
    from: { name: 'Ledger of Acme', address: 'ledger@ledger.example' },
  })
  t.equal(read('smtps://relay.example')?.port, 465)
  t.equal(readMailServer({ PUBLIC_URL }), null)
})

await t.test('what is missing or wrong is named, and no password is repeated', async (t) => {
  t.throws(() => readMailServer({ MAIL_FROM }), /MAIL_FROM requires SMTP_URL/)
  t.throws(() => readMailServer({ SMTP_URL: 'smtp://h' }), /SMTP_URL requires MAIL_FROM/)
  t.throws(() => readMailServer({ SMTP_URL: 'smtp://h', MAIL_FROM }), /SMTP_URL requires PUBLIC_URL/)
  const wrong = [
    'smtp://',
    'smtp://h/path',
    'smtp://h?tls=off',
    'http://h',
    'smtp://user:h@',
    'smtp://u:secret@h:99999',
  ]
  for (const url of wrong) t.throws(() => read(url), /^SMTP_URL must be smtp:\/\/HOST:PORT/, url)
  t.throws(() => read('smtp://user@h'), /both a user and a password/)
  t.throws(() => read('smtp://user:50%secret@h'), { message: /must be written as %25/ })
  for (const url of [...wrong, 'smtp://user:50%secret@h']) {
    try {
      read(url)
    } catch (error) {
      t.notMatch(String(error), 'secret')
    }
  }
})

await t.test('the sender is one address, and no more headers', async (t) => {
  for (const from of ['Ledger', 'a@x.example, b@x.example', 'a@x.example\r\nBcc: b@x.example', '@x', 'a@'])
    t.throws(() => read('smtp://h', from), /MAIL_FROM must be an email address/, from)
})

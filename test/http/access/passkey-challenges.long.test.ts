import t from 'tap'
import { openAuthenticator } from '../../support/http/authenticator.ts'
import {
  addPasskey,
  askForChallenge,
  ORIGIN,
  signInByPassword,
  tryPasskey,
  WITH_PASSKEYS,
} from '../../support/http/passkeys.ts'
import { openVisitor } from '../../support/http/visitor.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t, WITH_PASSKEYS)

await t.test('a challenge works once, also twice at the same time, and an answer without one does not', async (t) => {
  const { authenticator } = await addPasskey(
    await signInByPassword(service, service.company.admin),
    service.company.admin.password,
  )
  const visitor = openVisitor(service)
  const response = authenticator.use(await askForChallenge(visitor))
  const copies = [visitor.copy(), visitor.copy(), visitor.copy()]
  const answers = await Promise.all(copies.map((copy) => copy.visit('/sign-in/passkey', { response })))
  t.strictSame(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [303, 401, 401],
  )
  t.equal((await visitor.copy().visit('/sign-in/passkey', { response })).status, 401)
  t.match((await openVisitor(service).visit('/sign-in/passkey', { response })).text, 'That took too long')
  const stale = openVisitor(service)
  const earlier = authenticator.use(await askForChallenge(stale))
  t.equal((await tryPasskey(openVisitor(service), authenticator)).status, 303)
  t.equal((await stale.visit('/sign-in/passkey', { response: earlier })).status, 401, 'it is older than the last use')
})

await t.test('a passkey works again with any challenge that was made after the one that was used', async (t) => {
  const fresh = await service.makeCompany('Again')
  const { authenticator } = await addPasskey(
    await signInByPassword(service, fresh.member, fresh.id),
    fresh.member.password,
  )
  const [first, second] = [openVisitor(service), openVisitor(service)]
  const earlier = await askForChallenge(first)
  const madeAt = Date.now()
  while (Date.now() === madeAt);
  const later = await askForChallenge(second)
  t.equal((await first.visit('/sign-in/passkey', { response: authenticator.use(earlier) })).status, 303)
  t.equal((await second.visit('/sign-in/passkey', { response: authenticator.use(later) })).status, 303)
})

await t.test('the older of two tabs is asked to try again, which is no failed sign-in', async (t) => {
  const limited = await startService(t, { ...WITH_PASSKEYS, SIGN_IN_LIMIT: '1' }, { urls: service.urls })
  const fresh = await service.makeCompany('Tabs')
  const authenticator = openAuthenticator(ORIGIN)
  authenticator.counter = 5
  await addPasskey(await signInByPassword(service, fresh.member, fresh.id), fresh.member.password, { authenticator })
  const browser = openVisitor(limited)
  for (let at = 0; at < 3; at += 1) {
    const older = authenticator.use(await askForChallenge(browser))
    await askForChallenge(browser)
    const refused = await browser.visit('/sign-in/passkey', { response: older })
    t.match(refused, { status: 401, text: /Try again\./ })
  }
  const response = authenticator.use(await askForChallenge(browser))
  const again = browser.copy()
  t.equal((await browser.visit('/sign-in/passkey', { response })).status, 303)
  for (let at = 0; at < 3; at += 1)
    t.match(await again.copy().visit('/sign-in/passkey', { response }), { status: 401, text: /Try again\./ })
  t.equal((await tryPasskey(openVisitor(limited), authenticator)).status, 303)
})

import t from 'tap'
import { connectProvider } from '../../support/scim-client.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t)
const idp = await connectProvider(service, 'Provider')
const { id } = (await idp.post({ userName: 'user' })).body

for (const name of Object.getOwnPropertyNames(Object.prototype)) {
  await t.test(`an attribute named ${name}, which objects inherit, fails no call`, async (t) => {
    const body = (member: string) => `{"userName":"${name}","${member}":"x"}`
    const answers = [
      await idp.ask('POST', '/Users', body(name)),
      await idp.ask('PUT', `/Users/${id}`, `{"userName":"user","${name}":{"${name}":"x"}}`),
      await idp.patch(id, { op: 'add', path: name, value: 'x' }, { op: 'add', path: `emails.${name}`, value: 'x' }),
      await idp.patch(id, { op: 'add', value: { [`urn:x:1.0:User:${name}`]: 'x' } }, { op: 'remove', path: name }),
      await idp.find(`${name} eq "x"`),
      await idp.find(`emails[${name} eq "x"]`),
      await idp.ask('GET', `/Users/${id}?attributes=${name}&excludedAttributes=${name}`),
    ]
    t.same(
      answers.map(({ status }) => status).filter((status) => status >= 500 || status < 200),
      [],
    )
  })
}

import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { ChangeCompanyBody } from '../../src/api/admin/company.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { startService } from '../support/service.ts'

/* The page of the company. */

const PAGE = '/settings/company'
const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)

/** Another value of each setting. */
const CHANGED: Required<Static<typeof ChangeCompanyBody>> = { time_zone: 'Asia/Tokyo', country: 'JP' }

for (const [setting, value] of Object.entries(CHANGED))
  await t.test(`the form has a field for the ${setting}, and changes nothing else`, async (t) => {
    const { body: before } = await service.admin('/company')
    const { text } = await browse(service, PAGE, { cookie })
    t.match(text, ` name="${setting}"`)
    const form = { time_zone: before.time_zone, country: before.country ?? '', [setting]: value! }
    t.match(await browse(service, PAGE, { cookie, form }), { status: 303 })
    t.strictSame((await service.admin('/company')).body, { ...before, [setting]: value })
  })

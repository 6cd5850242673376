import t from 'tap'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { startService } from '../support/service.ts'

/* What the page of an uploaded file answers beforehand. */

const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)

async function openPreview(...lines: string[]): Promise<string> {
  const upload = new FormData()
  upload.set('file', new Blob([lines.join('\n')]), 'staff.csv')
  const { location } = await browse(service, '/settings/bulk-user-logs/upload', { cookie, upload })
  return (await browse(service, location!, { cookie })).text
}

await t.test('of columns that are equally likely to say who has left, none is chosen beforehand', async (t) => {
  const rows = ['ada@x.example,Ada,Ek,False,False', 'bo@x.example,Bo,Lim,False,True', 'cy@x.example,Cy,Ray,False,False']
  const two = await openPreview('Email,First name,Last name,Flag one,Flag two', ...rows)
  t.match(two, /1 question about the file is open/)
  t.match(two, /Which of these 2 columns, if any, is: Status\?/)
  t.notMatch(two, /value="status" selected/)
  const one = await openPreview('Email,First name,Last name,Flag', ...rows.map((row) => row.replace(',False', '')))
  t.match(one, /value="status" selected/)
})

await t.test('nobody has left by an answer chosen beforehand: words that are not known may say anything', async (t) => {
  const rows = ['ada@x.example,Ada,Ek,day', 'bo@x.example,Bo,Lim,night', 'cy@x.example,Cy,Ray,day']
  const page = await openPreview('Email,First name,Last name,Shift pattern', ...rows)
  t.match(page, /Shift pattern<\/bdi>: What is in this column\?/)
  t.notMatch(page, /value="status" selected/)
})

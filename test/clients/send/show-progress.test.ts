import { Writable } from 'node:stream'
import t from 'tap'
import { showProgress } from '../../../clients/typescript/send/show-progress.ts'

/** A stream that keeps everything written to it. */
function createStream(isTTY: boolean): { stream: NodeJS.WriteStream; text(): string } {
  let text = ''
  const write = (chunk: Buffer, _: string, done: () => void) => {
    text += chunk.toString()
    done()
  }
  const terminal = { isTTY, columns: 100, cursorTo: () => true, clearLine: () => true }
  return { stream: Object.assign(new Writable({ write }), terminal) as unknown as NodeJS.WriteStream, text: () => text }
}

await t.test('on a terminal, sending a file draws a bar', async (t) => {
  const { stream, text } = createStream(true)
  const progress = showProgress('sent', 300, 100, stream)
  progress.show(300)
  progress.finish()
  t.match(text(), /sent \[=+-+\] 100 of 300/, 'from where the run goes on')
  t.match(text(), /sent \[=+\] 300 of 300/)
})

await t.test('elsewhere it writes a line for each tenth', async (t) => {
  const { stream, text } = createStream(false)
  const progress = showProgress('sent', 1_000, 300, stream)
  for (let done = 310; done <= 1_000; done += 10) progress.show(done)
  progress.finish()
  t.strictSame(
    text().trimEnd().split('\n'),
    [400, 500, 600, 700, 800, 900, 1_000].map((done) => `sent ${done} of 1000`),
  )
})

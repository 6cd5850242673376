import { Writable } from 'node:stream'
import t from 'tap'
import { showProgress } from '../../src/cli/terminal/progress.ts'

/** A stream that keeps everything written to it. */
function keepingStream(asTerminal: boolean): { stream: NodeJS.WriteStream; text(): string } {
  let text = ''
  const write = (chunk: Buffer, _: string, done: () => void) => {
    text += chunk.toString()
    done()
  }
  const terminal = { isTTY: asTerminal, columns: 100, cursorTo: () => true, clearLine: () => true }
  const stream = Object.assign(new Writable({ write }), terminal) as unknown as NodeJS.WriteStream
  return { stream, text: () => text }
}

await t.test('without a terminal it writes a line for each tenth, with rate and time left', async (t) => {
  const { stream, text } = keepingStream(false)
  const progress = showProgress('rows', stream)
  progress.begin(200)
  for (let done = 0; done < 199; done += 1) progress.advance()
  t.equal(text().split('\n').length - 1, 9)
  progress.advance()
  progress.finish()
  const lines = text().trimEnd().split('\n')
  t.equal(lines.length, 10)
  t.match(lines[0], /^rows 20\/200 \(10 %\) {2}[0-9.]+\/s {2}[0-9]+ s left$/)
  t.match(lines[9], /^rows 200\/200 \(100 %\) {2}[0-9.]+\/s {2}0 s left$/)
})

await t.test('large steps print no line twice', async (t) => {
  const { stream, text } = keepingStream(false)
  const progress = showProgress('rows', stream)
  progress.begin(7)
  for (const steps of [3, 3, 1]) progress.advance(steps)
  progress.finish()
  t.same(text().match(/\([0-9]+ %\)/g), ['(42 %)', '(85 %)', '(100 %)'])
})

await t.test('on a terminal it draws a bar, with rate and time left', async (t) => {
  const { stream, text } = keepingStream(true)
  const progress = showProgress('rows', stream)
  progress.begin(4)
  progress.advance(3)
  progress.advance()
  progress.finish()
  t.match(text(), /rows \[-{30}\] 0\/4/)
  t.match(text(), /rows \[={30}\] 4\/4 {2}[0-9.]+\/s {2}[0-9]+s left/)
})

await t.test('progress never exceeds 100 %, and empty work prints nothing', async (t) => {
  const { stream, text } = keepingStream(false)
  const progress = showProgress('rows', stream)
  progress.begin(4)
  for (const steps of [3, 3, 3]) progress.advance(steps)
  progress.finish()
  t.same(text().match(/\([0-9]+ %\)/g), ['(75 %)', '(100 %)'])
  const empty = keepingStream(false)
  const nothing = showProgress('rows', empty.stream)
  nothing.begin(0)
  nothing.advance(2)
  nothing.finish()
  t.equal(empty.text(), '')
})

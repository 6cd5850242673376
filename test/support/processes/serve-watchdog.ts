import net from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { watchEventLoop } from './event-loop-watchdog.ts'

/* Loaded before the program, by the tests that watch its event loop. Each connection reads the watchdog once. */

// Threads of the program load this, too, but it is the program's own event loop that is watched.
if (isMainThread) {
  const watchdog = watchEventLoop()
  const answer = async (socket: net.Socket) => socket.end(JSON.stringify(await watchdog.read()))
  net
    .createServer((socket) => void answer(socket))
    .listen(process.env['WATCHDOG_SOCKET'])
    .unref()
}

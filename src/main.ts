// Also caches what is compiled: with `--import`, this file, too.
import './assert-node.js'
import { interruption, listenForInterruption } from '#cli/terminal/interruption'

/*
 * The entry point of every command. It listens for signals before it loads the rest of the program, so that a signal
 * during loading ends it in order too.
 */
listenForInterruption()
try {
  const { buildProgram } = await import('#cli/program')
  interruption.throwIfAborted()
  await buildProgram().parseAsync()
} catch (error) {
  const { failWith } = await import('#cli/terminal/fail-with')
  failWith(error)
}

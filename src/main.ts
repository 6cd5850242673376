import { interruption, listenForInterruption } from './cli/terminal/interruption.ts'

/*
 * The entry of every command: `start`, `serve`, `work`, `migrate` and those of cli/. The rest of the program is loaded
 * when signals are listened to already, so that one that comes meanwhile is an orderly end too.
 */
listenForInterruption()
try {
  const { buildProgram } = await import('./cli/program.ts')
  interruption.throwIfAborted()
  await buildProgram().parseAsync()
} catch (error) {
  const { failWith } = await import('./cli/terminal/fail-with.ts')
  failWith(error)
}

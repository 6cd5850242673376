import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { interruption, listenForInterruption } from './cli/terminal/interruption.ts'

/*
 * The entry point of every command. It listens for signals before it loads the rest of the program, so that a signal
 * during loading ends it in order too.
 */
listenForInterruption()
// Halves the time of a start. The cache is inside node_modules, where only those who may change the program can write
// (in the folder for temporary files, others could plant code). Where it cannot be written, there is none.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))
try {
  const { buildProgram } = await import('./cli/program.ts')
  interruption.throwIfAborted()
  await buildProgram().parseAsync()
} catch (error) {
  const { failWith } = await import('./cli/terminal/fail-with.ts')
  failWith(error)
}

import { buildProgram } from './cli/program.ts'
import { failWith } from './cli/fail-with.ts'

/** The entry of every command: `start`, `serve`, `work`, `migrate` and those of cli/. */
try {
  await buildProgram().parseAsync()
} catch (error) {
  failWith(error)
}

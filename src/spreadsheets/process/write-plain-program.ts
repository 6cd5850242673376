import { writePlainProgram } from './plain-program.ts'

/* A program of its own, because leaving out the types takes longer than a request may hold the event loop. */

writePlainProgram()

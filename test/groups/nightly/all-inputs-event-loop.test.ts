import { filesWithInputs, runFiles } from '../../support/run-files.ts'

await runFiles(...filesWithInputs().filter((file) => file.includes('/fairness/event-loop.')))

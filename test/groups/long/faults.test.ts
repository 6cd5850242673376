import { runFiles } from '../../support/run-files.ts'

await runFiles('test/fuzz/**/*.long.test.ts', 'test/faults/{faults,hung-machine,cluster-faults}.long.test.ts')

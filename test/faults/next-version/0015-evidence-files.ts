export { up } from '../../../migrations/0015-evidence-files.ts'

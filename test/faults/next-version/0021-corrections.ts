export { up } from '../../../migrations/0021-corrections.ts'

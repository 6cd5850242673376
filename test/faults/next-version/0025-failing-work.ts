export { up } from '../../../migrations/0025-failing-work.ts'

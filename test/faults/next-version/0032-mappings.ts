export { up } from '../../../migrations/0032-mappings.ts'
